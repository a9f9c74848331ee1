"""Partitions of graphs that are on a device already, without classical solvers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence

import torch
from torch import Tensor

from multicut._checks import Number, check_integer, check_precision
from multicut.nn.architectures import get_architecture
from multicut.nn.batch import GraphBatch
from multicut.nn.model import Model, Network
from multicut.nn.precision import fast_precision
from multicut.nn.search.contraction_rounds import ALL_ROUNDS
from multicut.nn.search.fusion_moves import (
    Proposer,
    fuse,
    fusion_moves,
    join_and_move,
    network_proposer,
    packing_proposer,
)
from multicut.nn.search.packing_rounds import STRICTNESS, Rules, packing_partitions
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

    In each round a packing of conflicted triangles and 4-cycles takes from each cost what is in
    doubt. Nodes that are each other's favourites by what is left are joined, costs of parallel
    edges are added up, and the next round packs anew. With a network, it joins what it is sure of
    instead, and what still attracts after that is joined by cost. Then single nodes move. Fusion
    moves do the same again with slightly other costs, and take over regions that are better. There
    is no promise of quality as the solver ``learned`` makes it, but no data leaves the device.
    Labels repeat: the same seed gives the same labels.

    Parameters
    ----------
    batch
        The graphs.
    model
        A contraction network on the same device, or a model with one, such as ``universal``. It
        takes longer than the packing and finds less; see the page on ``learned``.
    sure
        For each round, the probability of being cut below which edges are joined at once.
    precision
        ``"float32"`` or ``"bfloat16"``, of the network; by default the latter on GPUs that have it.
    moves
        Whether single nodes move in the end.
    proposals
        How many fusion moves; each takes about as long as a partition without any.
    seed
        Determines the noise of fusion moves.
    sweeps
        How often triangles, and after them 4-cycles, take their share of costs in each round; with
        ``(0, 0)`` nodes are joined by costs alone.
    strictness
        Between 0 and 1: the share that the score of a pair must have of the best score at its ends
        and their neighbours. With 0 all mutual favourites join at once; with larger values there
        are more rounds and better partitions.
    after_step
        Called after each round of contraction or moves and each layer of the network; an exception
        in it ends the work.

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
    if network is None:
        start, proposers = packing_partitions(batch, rules), [by_packing]
    else:
        by_network = network_proposer(
            network, sure=sure, precision=precision, after_step=after_step
        )
        start = iter([by_network.find(batch)])
        # Now and then one without it, for graphs unlike all that the network has seen.
        proposers = [by_network, by_network, by_packing]
    found = ever_better(
        batch,
        start,
        proposers,
        moves=moves or proposals > 0,
        proposals=proposals,
        seed=seed,
        after_step=after_step,
    )
    for labels in found:  # noqa: B007 (the last one counts)
        if after_step is not None:
            after_step()
    return labels


def ever_better(
    batch: GraphBatch,
    start: Iterable[Tensor],
    proposers: Sequence[Proposer],
    *,
    moves: bool,
    proposals: int,
    seed: int,
    after_step: Callable[[], object] | None = None,
) -> Iterator[Tensor]:
    """Yield partitions of graphs, each at least as good as the one before.

    Parameters
    ----------
    batch
        The graphs.
    start
        The partitions to begin with: those after each round of contraction, at least one.
    proposers
        Where fusion moves get their proposals from, in turn. If the last one is not the first one,
        its own partition is fused before these.
    moves, proposals, seed
        As for :func:`partition`.
    after_step
        Called within a search for the next partition; an exception in it ends the search.
    """
    for labels in start:
        yield labels
    if moves:
        labels = join_and_move(batch, labels, after_round=after_step)
        yield labels
    if proposals and proposers[-1] is not proposers[0]:
        other = join_and_move(batch, proposers[-1].find(batch), after_round=after_step)
        labels = fuse(batch, labels, other)
        yield labels
    generator = torch.Generator(batch.device).manual_seed(seed)
    search = fusion_moves(batch, labels, generator, proposers=proposers, after_round=after_step)
    yield from itertools.islice(search, proposals)
