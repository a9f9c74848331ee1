"""A proof that ``gaec`` finds nothing better than a partition at hand, before it has ended.

What ``gaec`` has joined it never separates. So no partition that it may still find costs less than
a lower bound of the graph in which these joins are contracted; and that bound soon exceeds what a
GPU has found, since greedy joins are not all good ones.

The joins come from the processor in a fraction of the time that ``gaec`` takes: a GPU divides the
nodes into groups that have no influence on each other, down to some cost, and threads contract in
all of them at once.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from multicut import _core
from multicut.models.loading import is_shortage
from multicut.nn.search.greedy_groups import contracted, independent_groups
from multicut.nn.search.packing_bound import PackingBound

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.nn.batch import GraphBatch
    from multicut.problem import Problem

# Edges for each node that cost as much as the threshold, or more: the first share with which groups
# stay small counts. On RandomMP with the first one, ``gaec`` has made five eighths of its joins.
_SHARES = (0.6, 0.3)
_MOST_NODES_OF_GROUP = 20_000
# Attractive costs among which to look for the threshold.
_SAMPLE = 2**16
# Of the sum of all |costs|, what rounding may make of the objective and of contracted costs.
_ROUNDING = 1e-9


class GaecCertificate:
    """Bounds from below what ``gaec`` finds.

    Parameters
    ----------
    problem
        The problem; its costs are finite.
    num_threads
        For the joins of ``gaec``.

    Attributes
    ----------
    bound
        What the partition of ``gaec`` costs at least, as far as it is known.
    """

    def __init__(self, problem: Problem, num_threads: int) -> None:
        self._problem = problem
        self._num_threads = num_threads
        self._thread: threading.Thread | None = None
        self._labels: IntArray | None = None
        self.bound = -np.inf

    def begin(self, batch: GraphBatch) -> None:
        """Divide the problem into groups, on the device of its graph, and start on the joins."""
        try:
            self._edges = batch.edges
            self._costs = torch.from_numpy(self._problem.costs.copy()).to(batch.device)
            for share in _SHARES:
                threshold = self._threshold(share)
                if threshold is None:
                    return
                groups = independent_groups(
                    self._edges, self._costs, self._problem.num_nodes, threshold
                )
                if int(torch.bincount(groups).max()) <= _MOST_NODES_OF_GROUP:
                    break
            else:
                return
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
            return
        arguments = (groups.cpu().numpy(), threshold)
        self._thread = threading.Thread(
            target=self._join, args=arguments, name="multicut: joins of gaec"
        )
        self._thread.start()

    def _threshold(self, share: float) -> float | None:
        attractive = self._costs[self._costs > 0]
        wanted = int(share * self._problem.num_nodes)
        if not 0 < wanted < len(attractive):
            return None
        sample = attractive[:: -(-len(attractive) // _SAMPLE)]
        place = wanted * len(sample) // len(attractive)
        return float(sample.sort(descending=True)[0][place])

    def _join(self, groups: IntArray, threshold: float) -> None:
        problem = self._problem
        with suppress(MemoryError):  # then there is no certificate
            self._labels = _core.gaec_prefix(
                problem.graph, problem.costs, groups, threshold, num_threads=self._num_threads
            )

    def holds_for(self, objective: float, is_over: Callable[[], bool]) -> bool:
        """Whether ``gaec`` costs more than `objective` for sure; tries until `is_over`."""
        if self._thread is None:
            return False
        self._thread.join()
        if self._labels is None:
            return False
        try:
            with torch.inference_mode():
                return self._bounds_exceed(objective, self._labels, is_over)
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
            return False

    def _bounds_exceed(
        self, objective: float, labels: IntArray, is_over: Callable[[], bool]
    ) -> bool:
        num_clusters = int(labels.max(initial=-1)) + 1
        clusters: Tensor = torch.from_numpy(labels).to(self._costs.device)
        edges, costs = contracted(self._edges, self._costs, clusters, num_clusters)
        doubt = _ROUNDING * float(self._costs.abs().sum())
        packing = PackingBound(edges, costs, num_clusters)
        for _ in packing.improve():
            self.bound = max(self.bound, packing.bound - doubt)
            if self.bound > objective:
                return True
            if is_over():
                break
        return False
