"""What the solver ``learned`` does on a GPU: contraction guided by a packing, moves and fusion."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from multicut.nn.batch import GraphBatch
from multicut.nn.search.fusion_moves import fusion_moves, join_and_move, packing_proposer
from multicut.nn.search.packing_rounds import composed, packing_labels, packing_rounds
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
) -> tuple[list[IntArray], int]:
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

    Returns
    -------
    tuple
        Labels of each of the original problems, and the number of rounds of contraction.
    """
    batch = GraphBatch.from_arrays(
        [one.problem.edges for one in problems],
        [one.costs for one in problems],
        [one.problem.num_nodes for one in problems],
        device=device,
    )
    cannot_links = np.concatenate([one.cannot_links for one in problems])
    forbidden = torch.from_numpy(cannot_links).to(device) if cannot_links.any() else None
    maps = []
    labels = None
    try:
        check()
        for state in packing_rounds(batch, forbidden=forbidden):
            maps.append(state.node_of_input)
            check()
        labels = composed(maps, batch.num_nodes, device)
        if forbidden is None:
            labels = join_and_move(batch, labels, after_round=check)
            generator = torch.Generator(device).manual_seed(seed)
            proposers = [packing_proposer(after_round=check)]
            moves = fusion_moves(batch, labels, generator, proposers=proposers, after_round=check)
            for better in itertools.islice(moves, proposals):
                labels = better
    except Stopped:
        if not maps:
            raise
        if labels is None:
            labels = composed(maps, batch.num_nodes, device)
    bounds = np.cumsum([one.problem.num_nodes for one in problems])[:-1]
    found = []
    for one, part in zip(problems, np.split(labels.cpu().numpy(), bounds), strict=True):
        # Within clusters that break a constraint the most attractive edges come first.
        repaired, _ = one.repaired(canonical(part), -one.costs)
        found.append(one.lift(repaired))
    return found, len(maps)


def warm_up(device: torch.device) -> None:
    """Compile what `search` needs, on a small graph."""
    edges = torch.tensor([[0, 0, 0, 1, 1, 2], [1, 2, 3, 2, 3, 3]], device=device)
    costs = torch.tensor([1.0, 2.0, -1.0, 3.0, 1.0, -2.0], device=device)
    packing_labels(GraphBatch.from_edges(edges, costs, 4))
