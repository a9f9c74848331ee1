"""What networks are trained with: cross entropy, cycle consistency and the polynomial program.

Both terms that know about cycles are sums over chordless cycles C and their edges e of

    ŷ_e · Π_{e' ∈ C∖{e}} (1 − ŷ_e'),

the probability that e is the only edge of C that is cut, if edges were cut independently. The inner
sum is the ε part of a product of dual numbers, since ε² = 0:

    Π_{e ∈ C} ((1 − ŷ_e) + ε ŷ_e).

So all cycles are multiplied up at once, pair by pair, in log₂ |C| steps, without a division.
"""

from __future__ import annotations

import torch
from torch import Tensor

from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import CycleSet


def binary_cross_entropy(logits: Tensor, batch: GraphBatch, *, reduction: str = "mean") -> Tensor:
    """Cross entropy between the network's probabilities and the optimal solution.

    Parameters
    ----------
    logits
        Shape (num_edges,): what the network returns.
    batch
        The graphs, with the optimal solution in ``batch.cut``.
    reduction
        ``"mean"`` over edges, or ``"sum"``.
    """
    if batch.cut is None:
        raise ValueError(
            "the batch has no cut, so cross entropy is not defined; give labels or train with "
            'loss="polynomial"'
        )
    logits = _at_least_single(logits)
    labels = batch.cut.to(logits.dtype)
    if batch.padding is None:
        return torch.nn.functional.binary_cross_entropy_with_logits(
            logits, labels, reduction=_checked(reduction)
        )
    total = torch.nn.functional.binary_cross_entropy_with_logits(
        logits, labels, batch.padding.edge_mask, reduction="sum"
    )
    return total / batch.padding.edge_mask.sum() if _checked(reduction) == "mean" else total


def decision_loss(logits: Tensor, batch: GraphBatch, *, cost_exponent: float = 0.0) -> Tensor:
    r"""Cross entropy in which dense graphs count less and costly decisions more; a sum.

    .. math:: \sum_G \frac{1}{\sqrt{|E_G|}} \sum_{e \in E_G}
        \Big(\frac{|w_e|}{\overline{|w|}_G}\Big)^p \, \mathrm{BCE}(\hat y_e, y_e)

    A graph counts neither as one nor as many as it has edges, but as the square root of their
    number. Ratios of costs are kept between 0.1 and 5.

    Parameters
    ----------
    logits
        Shape (num_edges,): what the network returns.
    batch
        The graphs, with the optimal solution in ``batch.cut``.
    cost_exponent
        p; with 0, the default, all edges of a graph count the same.
    """
    if batch.cut is None:
        raise ValueError("the batch has no cut, so the loss is not defined; give labels")
    logits = _at_least_single(logits)
    losses = torch.nn.functional.binary_cross_entropy_with_logits(
        logits, batch.cut.to(logits.dtype), reduction="none"
    )
    counts = torch.diff(batch.edge_offsets).clamp(min=1).to(logits.dtype)
    of_edge = batch.graph_of_edge()
    if cost_exponent > 0:
        sizes = batch.costs.detach().abs().to(logits.dtype)
        means = batch.sum_per_graph(sizes).to(logits.dtype) / counts
        ratios = sizes / torch.where(means > 0, means, 1.0)[of_edge]
        losses = losses * ratios.clamp(0.1, 5.0) ** cost_exponent
    return (losses * counts.rsqrt()[of_edge]).sum()


def cycle_consistency(
    probabilities: Tensor,
    batch: GraphBatch,
    cycles: CycleSet,
    *,
    threshold: float = 0.5,
    rounded: bool = False,
    per_length: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Cycle consistency loss (CCL, Eq. 9 of the paper) without its factor α.

    The sum over all chordless cycles C of at most l edges and all e ∈ C with ŷ_e ≥ 0.5 of
    ŷ_e · Π_{e' ∈ C∖{e}} (1 − ŷ_e'). Each cycle of which exactly one edge is cut adds 1.

    Parameters
    ----------
    probabilities
        Shape (num_edges,): ŷ, how surely each edge is cut.
    batch, cycles
        The graphs and their chordless cycles; l is the length up to which these were listed.
    threshold
        Only edges with at least this probability count as the one that is cut; 0 counts all.
    rounded
        Take ŷ_e of the edge that is cut as 1, a constant. Then the loss can only be made smaller by
        cutting a second edge of a cycle, not by joining the first.
    per_length
        Divide the sum over the edges of a cycle by their number.
    reduction
        Eq. 9 is the loss of one graph. ``"mean"`` is its mean over the graphs of the batch, so that
        α means the same for any batch size; ``"sum"`` its sum.
    """
    total = _sum_of_lone_cuts(
        probabilities, cycles, threshold, rounded=rounded, per_length=per_length
    )
    return total / max(batch.num_graphs, 1) if _checked(reduction) == "mean" else total


def polynomial_program(
    probabilities: Tensor,
    batch: GraphBatch,
    cycles: CycleSet,
    penalty: float | Tensor,
    *,
    normalise: bool = False,
    reduction: str = "mean",
) -> Tensor:
    """Compute the polynomial program of Eq. 3, a differentiable objective that needs no labels.

    Σ_e w_e ŷ_e + K · Σ_C Σ_{e ∈ C} ŷ_e · Π_{e' ∈ C∖{e}} (1 − ŷ_e'): what cutting costs, plus K for
    each chordless cycle that is cut once. Being linear in each ŷ_e, it is the expectation of both
    if edges were cut independently, and some rounding to 0 and 1 does not make it worse.

    Parameters
    ----------
    probabilities
        Shape (num_edges,): ŷ.
    batch, cycles
        The graphs and their chordless cycles.
    penalty
        K, the price of a cycle that is cut once.
    normalise
        Divide the objective of each graph by the sum of its absolute costs, and measure K in units
        of its mean absolute cost. Then neither scale nor size of a graph matters.
    reduction
        ``"mean"`` over graphs, or ``"sum"``.
    """
    costs = batch.costs.to(probabilities.dtype)
    weights = None
    if normalise:
        graphs = batch.graph_of_edge()
        totals = batch.sum_per_graph(costs.abs())
        # A graph whose costs are all zero has objective zero, whatever it is divided by.
        costs = costs / torch.where(totals > 0, totals, 1.0)[graphs]
        weights = 1.0 / torch.diff(batch.edge_offsets).to(costs.dtype)[graphs]
    violations = _sum_of_lone_cuts(probabilities, cycles, threshold=0.0, weights=weights)
    total = (costs * probabilities).sum() + penalty * violations
    return total / max(batch.num_graphs, 1) if _checked(reduction) == "mean" else total


def _sum_of_lone_cuts(
    probabilities: Tensor,
    cycles: CycleSet,
    threshold: float,
    *,
    weights: Tensor | None = None,
    rounded: bool = False,
    per_length: bool = False,
) -> Tensor:
    """Sum the probabilities that an edge of ŷ_e ≥ threshold is the only one of its cycle to be cut.

    Each cycle counts as much as its first edge weighs, or as one over its length.
    """
    if probabilities.shape != (cycles.num_edges,):
        raise ValueError(
            f"probabilities must contain one value per edge, shape ({cycles.num_edges},), got "
            f"{tuple(probabilities.shape)}"
        )
    probabilities = _at_least_single(probabilities)
    # The edge that is not there is never cut: 1 + 0ε is neutral in a product.
    padded = torch.cat([probabilities, probabilities.new_zeros(1)])
    total = probabilities.new_zeros(())
    for rows in cycles.rows:
        values = padded.index_select(0, rows.flatten()).view(rows.shape)
        lone = values
        if rounded:
            # An edge that is not there is no edge to be cut, whatever the threshold.
            lone = ((values >= threshold) & (rows < cycles.num_edges)).to(values.dtype)
        elif threshold > 0:
            lone = torch.where(values >= threshold, values, 0.0)
        violations = _epsilon_of_products(1.0 - values, lone)
        if weights is not None:
            violations = violations * weights.index_select(0, rows[:, 0])
        if per_length:
            lengths = (rows < cycles.num_edges).sum(dim=1)
            violations = violations / lengths.clamp(min=1)
        total = total + violations.sum()
    return total


def _epsilon_of_products(real: Tensor, epsilon: Tensor) -> Tensor:
    """Multiply up each row of dual numbers, 2, 4 or 8 of them, and return the ε parts."""
    while real.shape[1] > 1:
        real_left, real_right = real.chunk(2, dim=1)
        left, right = epsilon.chunk(2, dim=1)
        epsilon = real_left * right + left * real_right
        real = real_left * real_right
    return epsilon[:, 0]


def _at_least_single(values: Tensor) -> Tensor:
    """Convert half precision, which has too few digits for sums over many edges or cycles."""
    return values.float() if values.dtype in (torch.float16, torch.bfloat16) else values


def _checked(reduction: str) -> str:
    if reduction not in ("mean", "sum"):
        raise ValueError(f'reduction must be "mean" or "sum", got {reduction!r}')
    return reduction
