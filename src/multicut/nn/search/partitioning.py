"""Partitions of graphs that are on a device already, without classical solvers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from multicut._checks import Number, check_integer, check_precision
from multicut.nn.architectures import get_architecture
from multicut.nn.batch import GraphBatch
from multicut.nn.model import Model, Network
from multicut.nn.precision import fast_precision
from multicut.nn.search.contraction_rounds import ALL_ROUNDS
from multicut.nn.search.fusion_moves import (
    fuse,
    fusion_moves,
    join_and_move,
    network_proposer,
    packing_proposer,
)
from multicut.nn.search.packing_rounds import STRICTNESS, Rules
from multicut.nn.search.short_cycles import Sweeps
from multicut.nn.threads import threads_for

# Without a network there are a few numbers for each edge.
_WIDTH_OF_GREEDY = 8


def partition(
    batch: GraphBatch,
    model: Model | Network | None = None,
    *,
    sure: Sequence[float] = ALL_ROUNDS,
    precision: str | None = None,
    moves: bool = True,
    proposals: int = 0,
    seed: int = 0,
    sweeps: tuple[int, int] = Sweeps(),
    strictness: float = STRICTNESS,
    after_step: Callable[[], object] | None = None,
) -> Tensor:
    """Partition the graphs of a batch where they are, from costs to labels.

    A network joins what it is sure of, round after round, and what still attracts after that is
    joined greedily; without a network, greedy rounds do everything. Then single nodes move, and
    fusion moves go on for as long as they are told to: the same again with slightly other costs,
    taken over where it is better, and first of all the greedy partition. There is no promise of
    quality as the solver ``learned`` makes it, but no data leaves the device either.

    Parameters
    ----------
    batch
        The graphs.
    model
        A contraction network on the same device, or a model with one, such as ``universal``.
    sure
        For each round, the probability of being cut below which edges are joined at once.
    precision
        ``"float32"`` or ``"bfloat16"``, of the network; by default the latter on GPUs that have it.
    moves
        Whether single nodes move in the end.
    proposals
        How many fusion moves; each takes about as long as a partition without any, and a few with
        a network are worth many without.
    seed
        Determines the noise of fusion moves.
    after_step
        Called after each layer of the network and each round of moves; an exception in it ends the
        work.

    Returns
    -------
    Tensor
        Shape (num_nodes,), int64: 0 … k-1 over all graphs together; no two graphs share a label.
    """
    network = model.network if isinstance(model, Model) else model
    if network is not None and get_architecture(network.config.architecture).solver != "learned":
        raise TypeError(
            "model must contain a contraction network, such as 'universal', got one of "
            "architecture "
            f"{network.config.architecture!r}; for that one, use multicut.nn.round_scores"
        )
    triangles, squares = (check_integer(0, sweeps=number) for number in sweeps)
    Number(0, 1).check("strictness", strictness)
    rules = Rules(sweeps=Sweeps(triangles, squares), strictness=strictness)
    precision = fast_precision(batch.device) if precision is None else precision
    check_precision(precision)
    width = _WIDTH_OF_GREEDY if network is None else network.config.width
    with threads_for(batch.num_edges, width, batch.device):
        return _partition(
            batch, network, rules, sure, precision, moves, proposals, seed, after_step
        )


def _partition(
    batch: GraphBatch,
    network: Network | None,
    rules: Rules,
    sure: Sequence[float],
    precision: str,
    moves: bool,
    proposals: int,
    seed: int,
    after_step: Callable[[], object] | None,
) -> Tensor:
    by_packing = packing_proposer(rules, after_step)
    proposers = [by_packing]
    if network is not None:
        by_network = network_proposer(
            network, sure=sure, precision=precision, after_step=after_step
        )
        # Now and then one without it, for graphs unlike all that the network has seen.
        proposers = [by_network, by_network, by_packing]
    labels = proposers[0].find(batch)
    if moves or proposals:
        labels = join_and_move(batch, labels, after_round=after_step)
    if proposals and network is not None:
        other = join_and_move(batch, by_packing.find(batch), after_round=after_step)
        labels = fuse(batch, labels, other)
    generator = torch.Generator(batch.device).manual_seed(seed)
    search = fusion_moves(batch, labels, generator, proposers=proposers, after_round=after_step)
    for better in itertools.islice(search, proposals):
        labels = better
    return labels
