"""What the solver ``learned`` does with a network: contraction in rounds, and search on a GPU."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch

from multicut.nn.search.contraction_rounds import ALL_ROUNDS, FEW_ROUNDS, contraction_rounds
from multicut.nn.search.fusion_moves import (
    fusion_moves,
    join_and_move,
    network_proposer,
    packing_proposer,
)
from multicut.partition import canonical
from multicut.solvers.gnn.inference import Stopped, batch_of
from multicut.solvers.gnn.plain_problem import PlainProblem

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.nn.model import Model


def search(
    problems: Sequence[PlainProblem],
    model: Model,
    *,
    precision: str,
    few_rounds: bool,
    proposals: int,
    seed: int,
    check: Callable[[], None],
) -> tuple[list[IntArray], int]:
    """Let a network contract problems together.

    Parameters
    ----------
    problems
        The problems.
    model
        A contraction network, which works where it is.
    precision
        Of its numbers.
    few_rounds
        Whether it joins more edges at once.
    proposals
        How many fusion moves follow where a device moves nodes faster than a processor.
    seed
        Of fusion moves.
    check
        Called between steps. When it raises ``Stopped`` the work ends with what there is by then.

    Returns
    -------
    tuple
        Labels of each of the original problems, and the number of rounds of contraction.
    """
    network = model.network
    batch = batch_of(problems, model)
    forbidden = None
    cannot_links = np.concatenate([one.cannot_links for one in problems])
    if cannot_links.any():
        forbidden = torch.from_numpy(cannot_links).to(model.device)
    labels = torch.arange(batch.num_nodes, device=model.device)
    logits = torch.zeros_like(batch.costs)
    num_rounds = 0
    try:
        for state in contraction_rounds(
            network,
            batch,
            sure=FEW_ROUNDS[8] if few_rounds else ALL_ROUNDS,
            precision=precision,
            forbidden=forbidden,
            after_step=check,
        ):
            if num_rounds == 0 and state.logits is not None:
                logits = state.logits
            labels = state.labels
            num_rounds += 1
        if searches_on(model.device) and forbidden is None:
            # A GPU moves nodes and fuses partitions of all graphs at once.
            labels = join_and_move(batch, labels, after_round=check)
            generator = torch.Generator(model.device).manual_seed(seed)
            own = network_proposer(
                network, sure=FEW_ROUNDS[8], precision=precision, after_step=check
            )
            # Now and then one without it, for graphs unlike all that it has seen.
            proposers = [own, own, packing_proposer(after_round=check)]
            moves = fusion_moves(batch, labels, generator, proposers=proposers, after_round=check)
            for better in itertools.islice(moves, proposals):
                labels = better
    except Stopped:
        if num_rounds == 0:
            raise
    nodes = np.cumsum([one.problem.num_nodes for one in problems])[:-1]
    edges = np.cumsum([one.problem.num_edges for one in problems])[:-1]
    parts = np.split(labels.cpu().numpy(), nodes)
    scores = np.split(logits.double().cpu().numpy(), edges)
    lifted = []
    for one, part, score in zip(problems, parts, scores, strict=True):
        repaired, _ = one.repaired(canonical(part), np.nan_to_num(score))
        lifted.append(one.lift(repaired))
    return lifted, num_rounds


def searches_on(device: torch.device) -> bool:
    """Whether local search is faster there than on the processor."""
    return device.type == "cuda"
