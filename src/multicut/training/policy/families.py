"""Graphs with their best known objectives, and how far constants are from these."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._words import count
from multicut.datasets import Dataset, generate, list_generators, open_dataset
from multicut.solvers.dual_greedy.solver import DualGreedyOptions, task
from multicut.training.policy.work import estimate_work

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem
    from multicut.solvers.dual_greedy import Policy
    from multicut.training.policy.settings import PolicySettings

SEARCH, VALIDATION = "train", "valid"
# Where gaec is nearly optimal, a gap is compared with this one, so that chance counts little.
_LEAST_GAP = 1e-3
# As often times are measured; the shortest counts.
_REPETITIONS = 3


@dataclass(frozen=True, eq=False)
class Measure:
    """What constants reach on the graphs of one family.

    Attributes
    ----------
    gap
        Mean of (objective − best known) / |best known|.
    relative_gaps
        The gap of each graph over the mean gap of ``gaec``.
    work
        The estimated time in multiples of that of ``gaec``.
    """

    gap: float
    relative_gaps: FloatArray
    work: float

    @property
    def relative_gap(self) -> float:
        """The gap over that of ``gaec``."""
        return float(self.relative_gaps.mean())


class Family:
    """Graphs of one kind.

    Parameters
    ----------
    name
        What it is called.
    graphs
        The graphs, with an objective that is known to be good.
    num_threads
        Graphs that are solved side by side; no result depends on it.
    """

    def __init__(self, name: str, graphs: Dataset, num_threads: int) -> None:
        if graphs.is_lifted:
            raise ValueError(f"dual-greedy takes no lifted edges, which graphs of {name!r} have")
        self.name = name
        self.problems: list[Problem] = list(graphs)
        self._num_threads = num_threads
        self._num_nodes = graphs.num_nodes.astype(np.int64)
        greedy, _ = self._run([_core.gaec(each.graph, each.costs) for each in self.problems])
        self._best: FloatArray = np.minimum(graphs.objective, greedy)
        self.gaec_gap = float(self._gaps(greedy).mean())

    def measure(self, policy: Policy) -> Measure:
        """Contract all graphs with some constants."""
        objectives, num_clusters = self._run(self._tasks(policy))
        gaps = self._gaps(objectives)
        return Measure(
            gap=float(gaps.mean()),
            relative_gaps=gaps / max(self.gaec_gap, _LEAST_GAP),
            work=float(estimate_work(policy, self._num_nodes, num_clusters).mean()),
        )

    def measure_time(self, policy: Policy) -> float:
        """Return the processor time of one thread, in multiples of that of ``gaec``."""
        seconds = []
        for _ in range(_REPETITIONS):
            for i, tasks in enumerate((self._gaec_tasks, self._tasks(policy))):
                start = time.process_time()
                _core.run_all(tasks, num_threads=1)
                seconds.append((i, time.process_time() - start))
        gaec, own = (min(t for i, t in seconds if i == which) for which in (0, 1))
        return own / max(gaec, 1e-9)

    @cached_property
    def _gaec_tasks(self) -> list[_core.Task]:
        return [_core.gaec(each.graph, each.costs) for each in self.problems]

    def _tasks(self, policy: Policy) -> list[_core.Task]:
        options = DualGreedyOptions(policy=policy)
        return [task(each, options) for each in self.problems]

    def _run(self, tasks: Sequence[_core.Task]) -> tuple[FloatArray, IntArray]:
        """Return objectives and numbers of clusters."""
        found = _core.run_all(tasks, num_threads=self._num_threads)
        return (
            np.array([each.objective for each in found]),
            np.array([each.num_clusters for each in found], dtype=np.int64),
        )

    def _gaps(self, objectives: FloatArray) -> FloatArray:
        # Where the best is to join everything, there is nothing to divide by, nor to gain.
        has_cut = self._best < 0
        return np.where(has_cut, objectives - self._best, 0) / np.where(has_cut, -self._best, 1)


def load_family(
    name: str,
    split: str,
    settings: PolicySettings,
    *,
    cache: Path | None,
    num_threads: int,
) -> Family:
    """Draw or read the graphs of a family, and solve them where they have no solution.

    Parameters
    ----------
    name
        A generator, or the path of a dataset or file.
    split
        For the search or for the validation: different graphs.
    settings
        How many graphs, the seed, and who solves them.
    cache
        The folder that keeps generated graphs with their solutions, if any.
    num_threads
        Graphs that are solved side by side.
    """
    num = settings.num_graphs if split == SEARCH else settings.num_validation
    if name in {record.name for record in list_generators()}:
        folder = cache and cache / f"{name}-{split}-{num}-{settings.seed}-{settings.label}"
        if folder is not None and folder.exists():
            graphs = Dataset.load(folder)
        else:
            graphs = generate(name, num, seed=settings.seed, split=split)
            graphs = graphs.label(settings.label, num_workers=num_threads)
            if folder is not None:
                graphs.save(folder)
        return Family(name, graphs, num_threads)
    dataset = open_dataset(name)
    chosen = dataset[(0 if split == SEARCH else 1) :: 2][:num]
    if len(chosen) == 0:
        raise ValueError(
            f"{name} has {count(len(dataset), 'graph')}; a search needs one at an even and one at "
            f"an odd position"
        )
    if not chosen.labelled.all():
        chosen = chosen.label(settings.label, num_workers=num_threads)
    return Family(name, chosen, num_threads)
