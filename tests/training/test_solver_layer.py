"""Gradients through classical solvers."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.training import SolverLayer
from multicut.training.solver_layer import GRADIENTS
from tests.problems import random_problem

PROBLEM = random_problem(10, 0.5, seed=0)
EDGES = torch.from_numpy(PROBLEM.edges.T.copy())
COSTS = torch.tensor(PROBLEM.costs, dtype=torch.float64)
HALVES = (torch.arange(10)[EDGES[0]] < 5) != (torch.arange(10)[EDGES[1]] < 5)


@pytest.mark.parametrize("solver", ["gaec", "klj"])
@pytest.mark.parametrize("gradient", ["interpolated", "straight-through"])
def test_the_layer_returns_what_the_solver_finds(solver: str, gradient: str) -> None:
    layer = SolverLayer(solver, gradient=gradient)
    cut = layer(EDGES, COSTS, 10)
    assert np.array_equal(cut.numpy(), mc.solve(PROBLEM, solver).cut)
    assert np.array_equal(
        layer.partition(EDGES, COSTS, 10).labels, mc.solve(PROBLEM, solver).labels
    )


def test_the_perturbed_layer_returns_the_mean_over_noisy_problems() -> None:
    layer = SolverLayer("gaec", num_samples=4, noise=0.3, seed=7)
    half = np.random.default_rng([7, 0]).standard_normal((2, PROBLEM.num_edges))
    scale = 0.3 * np.abs(PROBLEM.costs).mean()
    cuts = [
        mc.solve(mc.Problem(PROBLEM.edges, PROBLEM.costs + scale * z, 10), "gaec").cut
        for z in (*half, *-half)
    ]
    found = layer(EDGES, COSTS, 10)
    np.testing.assert_allclose(found.numpy(), np.mean(cuts, axis=0))
    # The next call draws other noise; a new layer with the same seed draws the same.
    assert not torch.equal(layer(EDGES, COSTS, 10), found)
    assert torch.equal(
        SolverLayer("gaec", num_samples=4, noise=0.3, seed=7)(EDGES, COSTS, 10), found
    )


def test_the_perturbed_gradient_is_that_of_the_mean() -> None:
    # One edge: P(cut) = P(w + σ z < 0) has the density of a normal distribution as its slope.
    edges = torch.tensor([[0], [1]])
    costs = torch.tensor([0.4], dtype=torch.float64, requires_grad=True)
    layer = SolverLayer("gaec", num_samples=4_000, noise=1.0, num_workers=1)
    cut = layer(edges, costs, 2)
    cut.sum().backward()
    assert cut.item() == pytest.approx(0.1587, abs=0.02)  # P(z > 1)
    assert costs.grad is not None
    assert costs.grad.item() == pytest.approx(-0.2420 / 0.4, rel=0.1)


def test_the_gradient_of_an_expected_loss() -> None:
    edges = torch.tensor([[0], [1]])
    costs = torch.tensor([0.4], dtype=torch.float64, requires_grad=True)
    layer = SolverLayer("gaec", num_samples=4_000, noise=1.0, num_workers=1)
    loss = layer.expected_loss(edges, costs, 2, lambda labels: 3.0 * labels.max())
    (2 * loss).backward()
    assert loss.item() == pytest.approx(3 * 0.1587, abs=0.06)
    assert costs.grad is not None
    assert costs.grad.item() == pytest.approx(-6 * 0.2420 / 0.4, rel=0.1)


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize("solver", ["gaec", "klj"])
def test_gradients_lead_to_costs_whose_partition_is_the_wanted_one(
    gradient: str, solver: str
) -> None:
    costs = COSTS.clone().requires_grad_()
    layer = SolverLayer(solver, gradient=gradient, num_samples=16, num_workers=1)
    optimizer = torch.optim.Adam([costs], lr=0.1)
    target = HALVES.double()
    before = float((layer.partition(EDGES, costs, 10).cut != HALVES.numpy()).mean())
    for _ in range(100):
        loss = torch.nn.functional.mse_loss(layer(EDGES, costs, 10), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    after = float((layer.partition(EDGES, costs, 10).cut != HALVES.numpy()).mean())
    assert before > 0.2
    assert after == 0


def test_a_loss_without_slope_leaves_costs_alone() -> None:
    costs = COSTS.clone().requires_grad_()
    layer = SolverLayer("gaec", gradient="interpolated")
    (0 * layer(EDGES, costs, 10)).sum().backward()
    assert costs.grad is not None
    assert not costs.grad.any()


def test_a_problem_without_costs_is_perturbed_in_units_of_one() -> None:
    zero = torch.zeros(EDGES.shape[1])
    assert 0 < SolverLayer("gaec")(EDGES, zero, 10).mean() < 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"solver": "best"}, "best"),
        ({"gradient": "exact"}, "gradient must be one of perturbed"),
        ({"num_samples": 3}, "num_samples must be even"),
        ({"noise": 0.0}, "noise must be positive"),
        ({"step": float("inf")}, "step must be positive and finite"),
    ],
)
def test_wrong_arguments(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SolverLayer(**settings)  # type: ignore[arg-type]


def test_wrong_shapes() -> None:
    with pytest.raises(ValueError, match=r"edges must have shape \(2, num_edges\)"):
        SolverLayer()(EDGES.T, COSTS, 10)
