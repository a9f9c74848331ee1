"""What the solver ``learned`` does on a GPU: contraction guided by a packing, moves and fusion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.rounding import component_numbers, connected_components
from multicut.nn.search.fusion_moves import fuse, packing_proposer
from multicut.nn.search.packing_rounds import packing_labels, packing_partitions
from multicut.nn.search.partitioning import ever_better
from multicut.partition import canonical
from multicut.solvers.gnn.inference import Stopped
from multicut.solvers.gnn.plain_problem import PlainProblem

if TYPE_CHECKING:
    from multicut._arrays import IntArray


def search(
    problems: Sequence[PlainProblem],
    device: torch.device,
    *,
    proposals: int,
    seed: int,
    check: Callable[[], None],
    beside: Callable[[GraphBatch], None] = lambda _: None,
) -> list[IntArray]:
    """Partition problems together, all on one device.

    Parameters
    ----------
    problems
        The problems.
    device
        Where to work.
    proposals
        How many fusion moves follow; none where there are cannot-links.
    seed
        Of fusion moves.
    check
        Called between steps. When it raises ``Stopped`` the work ends with what there is by then.
    beside
        Called with the graphs once they are on the device, where no node was contracted.

    Returns
    -------
    list
        Labels of each of the original problems.
    """
    batch = GraphBatch.from_arrays(
        [one.problem.edges for one in problems],
        [one.costs for one in problems],
        [one.problem.num_nodes for one in problems],
        device=device,
    )
    if all(one.groups is None for one in problems):
        beside(batch)
    cannot_links = np.concatenate([one.cannot_links for one in problems])
    forbidden = torch.from_numpy(cannot_links).to(device) if cannot_links.any() else None
    labels = search_batch(
        batch, proposals=proposals, seed=seed, check=check, forbidden=forbidden
    ).cpu()
    bounds = np.cumsum([one.problem.num_nodes for one in problems])[:-1]
    found = []
    for one, part in zip(problems, np.split(labels.numpy(), bounds), strict=True):
        own = canonical(part)
        if forbidden is not None:
            # Within clusters that break a constraint the most attractive edges come first.
            own, _ = one.repaired(own, -one.costs)
        found.append(one.lift(own))
    return found


def search_batch(
    batch: GraphBatch,
    *,
    proposals: int,
    seed: int,
    check: Callable[[], None],
    forbidden: Tensor | None = None,
) -> Tensor:
    """Partition graphs that are on a device: shape (num_nodes,), 0 … k-1 over all of them.

    Clusters are connected. No graph gets a partition that costs more than the components of its
    attractive edges, or than all nodes apart, but for rounding. The parameters are those of
    `search`; `forbidden` flags cannot-links, shape (num_edges,).
    """
    found = ever_better(
        batch,
        packing_partitions(batch, forbidden=forbidden),
        [packing_proposer(after_round=check)],
        moves=forbidden is None,
        proposals=proposals if forbidden is None else 0,
        seed=seed,
        after_step=check,
    )
    labels = None
    try:
        check()
        for labels in found:  # noqa: B007 (the last one counts)
            check()
    except Stopped:
        if labels is None:
            raise
    assert labels is not None
    if forbidden is None:
        labels = no_worse_than_trivial(batch, labels)
    return connected(batch, labels)


def no_worse_than_trivial(batch: GraphBatch, labels: Tensor) -> Tensor:
    """Return labels, or the components of attractive edges where these cost less, as 0 … k-1.

    Contraction only joins what attracts. Where that is little beside what is cut, to join all that
    anything attractive connects may cost less.
    """
    attractive = torch.nonzero(batch.costs.detach() > 0).squeeze(1)
    nothing = torch.zeros_like(attractive, dtype=torch.bool)
    whole = connected_components(batch.edges[:, attractive], nothing, batch.num_nodes)
    return fuse(batch, labels, component_numbers(whole))


def connected(batch: GraphBatch, labels: Tensor) -> Tensor:
    """Return the connected parts of clusters, 0 … k-1: nodes that moved may have divided one."""
    first, second = batch.edges
    is_cut = labels[first] != labels[second]
    return component_numbers(connected_components(batch.edges, is_cut, batch.num_nodes))


def warm_up(device: torch.device) -> None:
    """Compile what `search` needs, on a small graph."""
    edges = torch.tensor([[0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]], device=device)
    costs = torch.tensor([1.0, 2.0, -1.0, 3.0, 1.0, -2.0], device=device)
    packing_labels(GraphBatch.from_edges(edges, costs, 4))
