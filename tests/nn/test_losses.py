"""Losses, against sums written out cycle by cycle."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.nn.batch import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.nn.losses import binary_cross_entropy, cycle_consistency, polynomial_program


def batch_of(num_graphs: int, num_nodes: int = 20) -> GraphBatch:
    problems = [mc.datasets.randommp(num_nodes, seed=seed) for seed in range(num_graphs)]
    cuts = [mc.solve(problem, "gaec").cut for problem in problems]
    return GraphBatch.from_problems(problems, cuts=cuts, dtype=torch.float64)


def random_probabilities(batch: GraphBatch, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(batch.num_edges, generator=generator, dtype=torch.float64)


def lone_cuts_by_hand(y: torch.Tensor, cycles: CycleSet, threshold: float) -> list[float]:
    """For each cycle, the sum of Eq. 9 as the paper writes it."""
    sums = []
    for row in itertools.chain(*(rows.tolist() for rows in cycles.rows)):
        cycle = [e for e in row if e != cycles.num_edges]
        sums.append(
            sum(
                float(y[e]) * math.prod(1 - float(y[other]) for other in cycle if other != e)
                for e in cycle
                if y[e] >= threshold
            )
        )
    return sums


@pytest.mark.parametrize("max_length", [3, 4, 5, 8])
def test_cycle_consistency_is_equation_9(max_length: int) -> None:
    batch = batch_of(3)
    cycles = CycleSet.of(batch, max_length)
    y = random_probabilities(batch)
    expected = sum(lone_cuts_by_hand(y, cycles, 0.5))
    assert expected > 0
    total = cycle_consistency(y, batch, cycles, reduction="sum")
    torch.testing.assert_close(total.item(), expected)
    mean = cycle_consistency(y, batch, cycles)
    torch.testing.assert_close(mean.item(), expected / 3)


def test_each_cycle_that_is_cut_once_adds_one() -> None:
    batch = batch_of(2)
    cycles = CycleSet.of(batch)
    feasible = batch.cut
    assert feasible is not None
    assert cycle_consistency(feasible, batch, cycles) == 0
    broken = (random_probabilities(batch) < 0.3).double()
    cut_once = sum(
        sum(broken[e] == 1 for e in row if e != batch.num_edges) == 1
        for row in itertools.chain(*(rows.tolist() for rows in cycles.rows))
    )
    assert cut_once > 0
    assert cycle_consistency(broken, batch, cycles, reduction="sum") == cut_once


def test_edges_below_the_threshold_do_not_count_as_cut() -> None:
    batch = GraphBatch.from_problems(mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 1.0, 1.0]))
    cycles = CycleSet.of(batch)
    y = torch.tensor([0.49, 0.49, 0.49])
    assert cycle_consistency(y, batch, cycles) == 0
    torch.testing.assert_close(
        cycle_consistency(torch.tensor([0.5, 0.1, 0.2]), batch, cycles),
        torch.tensor(0.5 * 0.9 * 0.8),
    )


@pytest.mark.parametrize("normalise", [False, True])
def test_polynomial_program_is_equation_4(normalise: bool) -> None:
    batch = batch_of(3)
    cycles = CycleSet.of(batch, 6)
    y = random_probabilities(batch, seed=1)
    penalty = 2.5
    expected = []
    for graph in range(3):
        first, last = batch.edge_offsets[graph].item(), batch.edge_offsets[graph + 1].item()
        costs = batch.costs[first:last]
        mine = CycleSet(
            tuple(r[(r[:, 0] >= first) & (r[:, 0] < last)] for r in cycles.rows), cycles.num_edges
        )
        violated = sum(lone_cuts_by_hand(y, mine, 0.0))
        scale = costs.abs().mean().item() if normalise else 1.0
        value = (costs @ y[first:last]).item() + penalty * scale * violated
        expected.append(value / costs.abs().sum().item() if normalise else value)
    mean = polynomial_program(y, batch, cycles, penalty, normalise=normalise)
    torch.testing.assert_close(mean.item(), np.mean(expected))
    total = polynomial_program(y, batch, cycles, penalty, normalise=normalise, reduction="sum")
    torch.testing.assert_close(total.item(), np.sum(expected))


def test_polynomial_program_of_a_multicut_is_its_objective() -> None:
    problem = mc.datasets.randommp(40, seed=3)
    result = mc.solve(problem, "gaec")
    batch = GraphBatch.from_problems(problem, cuts=[result.cut], dtype=torch.float64)
    cycles = CycleSet.of(batch)
    assert batch.cut is not None
    value = polynomial_program(batch.cut, batch, cycles, penalty=1000.0)
    assert value.item() == pytest.approx(result.objective)


def test_the_optimum_minimises_the_polynomial_program() -> None:
    problem = mc.Problem(list(itertools.combinations(range(4), 2)), [2, -3, 1, -1, 2, -2.5])
    batch = GraphBatch.from_problems(problem, dtype=torch.float64)
    cycles = CycleSet.of(batch, 3)
    values = {
        y: polynomial_program(
            torch.tensor(y, dtype=torch.float64), batch, cycles, penalty=20.0
        ).item()
        for y in itertools.product((0.0, 1.0), repeat=6)
    }
    best = min(values, key=values.__getitem__)
    optimum = mc.solve(problem, "ilp")
    assert values[best] == pytest.approx(optimum.objective)
    assert mc.is_feasible(problem, np.array(best, dtype=bool))


@pytest.mark.parametrize("max_length", [3, 8])
def test_gradients(max_length: int) -> None:
    batch = batch_of(2, num_nodes=12)
    cycles = CycleSet.of(batch, max_length)
    y = random_probabilities(batch, seed=2)
    # Away from the threshold, where the loss jumps, and at 0 and 1, where a division would fail.
    y = torch.where((y - 0.5).abs() < 0.01, 0.6, y)
    y[:2] = torch.tensor([0.0, 1.0])
    y.requires_grad_()
    assert torch.autograd.gradcheck(lambda p: cycle_consistency(p, batch, cycles), y)
    assert torch.autograd.gradcheck(
        lambda p: polynomial_program(p, batch, cycles, 1.5, normalise=True), y
    )
    costs = batch.costs.clone().requires_grad_()
    assert torch.autograd.gradcheck(
        lambda w: polynomial_program(y.detach(), batch.with_costs(w), cycles, 1.5), costs
    )


def test_cross_entropy_is_that_of_the_definition() -> None:
    batch = batch_of(2)
    assert batch.cut is not None
    logits = torch.randn(batch.num_edges, generator=torch.Generator().manual_seed(0)).double()
    y = torch.sigmoid(logits)
    by_hand = -torch.where(batch.cut > 0.5, y.log(), (1 - y).log())
    torch.testing.assert_close(binary_cross_entropy(logits, batch), by_hand.mean())
    total = binary_cross_entropy(logits, batch, reduction="sum")
    torch.testing.assert_close(total, by_hand.sum())
    with pytest.raises(ValueError, match="the batch has no cut"):
        binary_cross_entropy(logits, GraphBatch.from_problems(mc.datasets.randommp(10)))


def test_half_precision_is_summed_in_single() -> None:
    batch = batch_of(2)
    cycles = CycleSet.of(batch)
    y = random_probabilities(batch).bfloat16()
    assert cycle_consistency(y, batch, cycles).dtype == torch.float32
    assert binary_cross_entropy(y, batch).dtype == torch.float32
    torch.testing.assert_close(
        cycle_consistency(y, batch, cycles), cycle_consistency(y.float(), batch, cycles)
    )


def test_a_batch_without_cycles_or_graphs() -> None:
    path = GraphBatch.from_problems(mc.Problem([[0, 1], [1, 2]], [1.0, -1.0]))
    y = torch.tensor([0.9, 0.2], requires_grad=True)
    loss = cycle_consistency(y, path, CycleSet.of(path))
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss == 0
    empty = GraphBatch.from_problems([])
    none = torch.zeros(0)
    assert polynomial_program(none, empty, CycleSet.of(empty), 1.0, normalise=True) == 0


def test_wrong_arguments() -> None:
    batch = batch_of(1)
    cycles = CycleSet.of(batch, 3)
    with pytest.raises(ValueError, match=r"probabilities must contain one value per edge, shape"):
        cycle_consistency(torch.zeros(2), batch, cycles)
    with pytest.raises(ValueError, match='reduction must be "mean" or "sum"'):
        cycle_consistency(random_probabilities(batch), batch, cycles, reduction="max")


def test_cycle_consistency_with_the_cut_edge_rounded() -> None:
    batch = batch_of(2)
    cycles = CycleSet.of(batch, 5)
    y = random_probabilities(batch)
    values = y.tolist()
    y.requires_grad_()
    expected = 0.0
    for row in itertools.chain(*(rows.tolist() for rows in cycles.rows)):
        cycle = [e for e in row if e != cycles.num_edges]
        for e in cycle:
            if values[e] >= 0.5:
                expected += math.prod(1 - values[other] for other in cycle if other != e)
    total = cycle_consistency(y, batch, cycles, rounded=True, reduction="sum")
    torch.testing.assert_close(total.item(), expected)
    total.backward()
    # Only a second cut makes the loss smaller.
    assert y.grad is not None
    assert (y.grad <= 0).all()


def test_cycle_consistency_per_length_divides_each_cycle() -> None:
    batch = batch_of(2)
    cycles = CycleSet.of(batch, 6)
    y = random_probabilities(batch)
    sums = lone_cuts_by_hand(y, cycles, 0.5)
    lengths = [
        sum(e != cycles.num_edges for e in row)
        for row in itertools.chain(*(rows.tolist() for rows in cycles.rows))
    ]
    assert len(set(lengths)) > 1
    expected = sum(value / length for value, length in zip(sums, lengths, strict=True))
    total = cycle_consistency(y, batch, cycles, per_length=True, reduction="sum")
    torch.testing.assert_close(total.item(), expected)
