"""Gradients through classical solvers."""

from __future__ import annotations

import math

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


# A path: each edge is cut if its own noisy cost is negative, whatever the others are.
PATH = torch.tensor([[0, 1, 2], [1, 2, 3]])
PATH_COSTS = (0.4, -0.2, 0.9)


def slopes_of_a_path() -> tuple[np.ndarray, np.ndarray]:
    """Return P(cut) of the edges of the path, and its derivatives: row i for the cut of edge i."""
    w = np.array(PATH_COSTS)
    mean = np.abs(w).mean()  # sigma, as the noise is 1
    density = np.exp(-((w / mean) ** 2) / 2) / np.sqrt(2 * np.pi)
    cut = np.array([math.erfc(x / mean / math.sqrt(2)) / 2 for x in w])
    inner = np.eye(3) / mean - np.outer(w, np.sign(w)) / (3 * mean**2)
    return cut, -density[:, None] * inner


def test_the_perturbed_gradient_is_that_of_the_mean() -> None:
    costs = torch.tensor(PATH_COSTS, dtype=torch.float64, requires_grad=True)
    layer = SolverLayer("gaec", num_samples=20_000, num_workers=1)
    expected, slopes = slopes_of_a_path()
    cut = layer(PATH, costs, 4)
    np.testing.assert_allclose(cut.detach().numpy(), expected, atol=0.01)
    for edge in range(3):
        (found,) = torch.autograd.grad(cut[edge], costs, retain_graph=True)
        np.testing.assert_allclose(found.numpy(), slopes[edge], atol=0.03)


def test_the_gradient_of_an_expected_loss() -> None:
    costs = torch.tensor(PATH_COSTS, dtype=torch.float64, requires_grad=True)
    layer = SolverLayer("gaec", num_samples=20_000, num_workers=1)
    # Labels grow by one with each cut, so this is three for the first cut and six for the last.
    loss = layer.expected_loss(
        PATH, costs, 4, lambda labels: 3.0 * (labels[1] > 0) + 6.0 * (labels[3] > labels[2])
    )
    (2 * loss).backward()
    expected, slopes = slopes_of_a_path()
    assert loss.item() == pytest.approx(3 * expected[0] + 6 * expected[2], abs=0.06)
    assert costs.grad is not None
    np.testing.assert_allclose(costs.grad.numpy(), 6 * slopes[0] + 12 * slopes[2], atol=0.4)


@pytest.mark.parametrize("noise", [0.3, 2.0])
def test_the_fenchel_young_loss_is_at_least_zero_with_its_true_slope(noise: float) -> None:
    def loss_of(costs: torch.Tensor) -> torch.Tensor:
        layer = SolverLayer("ilp", noise=noise, num_samples=6, num_workers=1)
        return layer.fenchel_young_loss(EDGES, costs, 10, HALVES)

    costs = COSTS.clone().requires_grad_()
    loss = loss_of(costs)
    loss.backward()
    assert loss.item() >= 0
    assert costs.grad is not None
    # Of the same noise, the loss is a smooth function nearly everywhere.
    for edge in range(0, len(COSTS), 3):
        step = torch.zeros_like(COSTS)
        step[edge] = 1e-6
        slope = (loss_of(COSTS + step) - loss_of(COSTS - step)) / 2e-6
        assert costs.grad[edge].item() == pytest.approx(slope.item(), abs=1e-6)


def test_the_fenchel_young_loss_leads_to_the_wanted_partition() -> None:
    costs = COSTS.clone().requires_grad_()
    layer = SolverLayer("klj", num_workers=1)
    optimizer = torch.optim.Adam([costs], lr=0.1)
    losses = []
    for _ in range(60):
        loss = layer.fenchel_young_loss(EDGES, costs, 10, HALVES)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]
    assert np.array_equal(layer.partition(EDGES, costs, 10).cut, HALVES.numpy())


def test_the_fenchel_young_loss_needs_a_cut_to_learn_from() -> None:
    layer = SolverLayer("gaec")
    with pytest.raises(ValueError, match=r"one value per edge, shape \(\d+,\), got \(3,\)"):
        layer.fenchel_young_loss(EDGES, COSTS, 10, HALVES[:3])
    edge = int(HALVES.nonzero()[0])
    with pytest.raises(ValueError, match=rf"between 0 and 1, got 2\.0 at edge {edge}; it is 1"):
        layer.fenchel_young_loss(EDGES, COSTS, 10, HALVES.double() * 2)
    with pytest.raises(TypeError, match="target must be a tensor, got list"):
        layer.fenchel_young_loss(EDGES, COSTS, 10, HALVES.tolist())  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["cut", "expected loss", "Fenchel-Young loss"])
def test_all_costs_times_one_factor_have_the_same_cut_and_no_slope(kind: str) -> None:
    def mean_of(factor: float) -> tuple[float, float]:
        costs = (factor * COSTS).requires_grad_()
        layer = SolverLayer("gaec", num_samples=16)
        if kind == "expected loss":
            mean = layer.expected_loss(EDGES, costs, 10, lambda labels: float(labels.max()))
        elif kind == "Fenchel-Young loss":
            mean = layer.fenchel_young_loss(EDGES, costs, 10, HALVES)
        else:
            mean = layer(EDGES, costs, 10).mean()
        mean.backward()
        assert costs.grad is not None
        assert costs.grad.abs().max() > 0
        return mean.item(), float(costs.grad @ costs.detach())

    means, slopes = zip(*(mean_of(factor) for factor in (1.0, 1024.0)), strict=True)
    assert means[0] == means[1]
    assert slopes == pytest.approx((0, 0), abs=1e-9)


def test_training_that_is_resumed_draws_the_noise_that_it_would_have_drawn() -> None:
    layer = SolverLayer("gaec", seed=3)
    layer(EDGES, COSTS, 10)
    resumed = SolverLayer("gaec", seed=3)
    resumed.load_state_dict(layer.state_dict())
    assert torch.equal(resumed(EDGES, COSTS, 10), layer(EDGES, COSTS, 10))


def test_validation_does_not_change_the_noise_of_training() -> None:
    layer, other = SolverLayer("gaec"), SolverLayer("gaec")
    layer.eval()
    assert torch.equal(layer(EDGES, COSTS, 10), layer(EDGES, COSTS, 10))
    layer.train()
    for _ in range(2):
        assert torch.equal(layer(EDGES, COSTS, 10), other(EDGES, COSTS, 10))


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
        ({"num_workers": 0}, "num_workers must be"),
        ({"chain_patience": -1}, "chain_patience must be"),
    ],
)
def test_wrong_arguments(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SolverLayer(**settings)  # type: ignore[arg-type]


def test_noise_that_is_assigned_later_is_checked() -> None:
    layer = SolverLayer("gaec")
    with pytest.raises(ValueError, match=r"noise must be positive and finite, got 0\.0"):
        layer.noise = 0.0
    layer.noise = 0.25
    assert "noise=0.25" in repr(layer)


@pytest.mark.parametrize("gradient", GRADIENTS)
@pytest.mark.parametrize(
    ("edges", "costs", "num_nodes", "message"),
    [
        (EDGES.T, COSTS, 10, r"edges must contain integers in shape \(2, m\)"),
        (EDGES, COSTS[1:], 10, "costs must contain one floating point number per edge"),
        (EDGES, COSTS.long(), 10, "costs must contain one floating point number per edge"),
        (EDGES, COSTS, 9, "edges must join nodes 0 to 8"),
        (PATH[:, [0, 0]] * 0, COSTS[:2], 3, "edges must not be self-loops"),
        (PATH[:, [0, 1, 0]], COSTS[:3], 3, "each undirected edge once, got 3 of which 2 are diff"),
        (
            PATH,
            torch.tensor([1.0, float("inf"), 2.0]),
            4,
            "costs must be finite, got inf at",
        ),
    ],
)
def test_wrong_graphs(
    gradient: str, edges: torch.Tensor, costs: torch.Tensor, num_nodes: int, message: str
) -> None:
    layer = SolverLayer(gradient=gradient)
    with pytest.raises(ValueError, match=message):
        layer(edges, costs, num_nodes)
    with pytest.raises(ValueError, match=message):
        layer.expected_loss(edges, costs, num_nodes, lambda _labels: 0.5)


@pytest.mark.parametrize("gradient", GRADIENTS)
def test_second_derivatives_are_refused(gradient: str) -> None:
    costs = COSTS.clone().requires_grad_()
    loss = torch.nn.functional.mse_loss(
        SolverLayer("gaec", gradient=gradient)(EDGES, costs, 10), HALVES.double()
    )
    (slope,) = torch.autograd.grad(loss, costs, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        slope.sum().backward()
