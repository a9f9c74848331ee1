"""Lower bounds by packing cycles."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings

import multicut as mc
from multicut.bound import bound_from_below
from multicut.exact.union import Union
from multicut.proof import certify
from multicut.stop import Stop
from tests.problems import optimum, random_lifted_problem, random_problem, small_problems


@settings(max_examples=300, deadline=None)
@given(small_problems(constrained=True))
def test_no_partition_costs_less(problem):
    best = optimum(problem)
    scale = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
    bound = mc.lower_bound(problem)
    assert bound <= best + 1e-12 * scale
    assert bound >= np.minimum(problem.costs[np.isfinite(problem.costs)], 0).sum() - 1e-9 * scale


def test_comes_close_to_the_cycle_relaxation():
    for seed in range(5):
        problem = mc.datasets.randommp(300, seed=seed)
        relaxed = mc.solve(problem, "lp").lower_bound
        bound = mc.lower_bound(problem)
        assert bound <= relaxed + 1e-6 * abs(relaxed)
        assert bound >= relaxed - 1e-3 * abs(relaxed)


def test_grows_with_the_time_and_does_not_depend_on_threads():
    problem = mc.datasets.randommp(3_000)
    trivial = np.minimum(problem.costs, 0).sum()
    bounds = [mc.lower_bound(problem, limit) for limit in (0, 0.02, None)]
    assert bounds[0] == pytest.approx(trivial)
    assert bounds == sorted(bounds)
    assert bounds[-1] > trivial
    assert mc.lower_bound(problem, num_threads=3) == bounds[-1]


def test_grows_with_the_work_and_depends_on_nothing_else():
    problem = mc.datasets.randommp(3_000)
    bounds = []
    for steps in (0, 10**7, 10**8, 10**12):
        found = [
            bound_from_below(problem, Stop(), num_threads=threads, max_steps=steps)
            for threads in (1, 3)
        ]
        assert found[0] == found[1]
        bounds.append(found[0][0])
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[1] < bounds[2] < bounds[3] == mc.lower_bound(problem)


def test_is_tight_where_nothing_is_in_conflict():
    problem = mc.Problem([[0, 1], [1, 2], [2, 3]], [1.0, -2.0, 0.5])
    assert mc.lower_bound(problem) == pytest.approx(-2.0)
    result = mc.solve(problem, "gaec", bound=True)
    assert result.optimal
    assert result.gap == 0


def test_scales_with_the_costs():
    problem = random_problem(60, 0.2, seed=0)
    bound = mc.lower_bound(problem)
    for scale in (1e-250, 1e-6, 1e6, 1e250):
        scaled = mc.Problem(problem.edges, problem.costs * scale, num_nodes=60)
        assert mc.lower_bound(scaled) == pytest.approx(bound * scale, rel=1e-4)


def test_constraints_count():
    # Nodes 0 and 1 must be together, 1 and 2 apart: the attraction between 0 and 2 has to be paid.
    problem = mc.Problem([[0, 1], [1, 2], [0, 2], [2, 3]], [np.inf, -np.inf, 5.0, -1.0])
    assert mc.lower_bound(problem) == pytest.approx(4.0)


def test_ctrl_c_returns_the_best_bound_so_far():
    problem = mc.datasets.randommp(200_000)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        bound = mc.lower_bound(problem)
    finally:
        timer.cancel()
    assert bound >= np.minimum(problem.costs, 0).sum() * (1 + 1e-9)


def test_arguments_are_checked():
    problem = random_problem(5, 1.0, seed=0)
    with pytest.raises(TypeError, match=r"problem must be a multicut\.Problem, got int"):
        mc.lower_bound(3)
    with pytest.raises(ValueError, match="time_limit must be at least 0 seconds, got -1"):
        mc.lower_bound(problem, -1)
    with pytest.raises(ValueError, match="num_threads must be at least 1"):
        mc.lower_bound(problem, num_threads=0)


def test_without_time_there_is_a_bound_with_constraints_as_well():
    problem = mc.datasets.randommp(2_000)
    costs = problem.costs.copy()
    costs[::50], costs[7::300] = np.inf, -np.inf
    for values in (problem.costs, costs):
        own = mc.Problem(problem.edges, values, num_nodes=2_000)
        least = np.minimum(values[np.isfinite(values)], 0).sum()
        assert mc.lower_bound(own, 0) == pytest.approx(least)


def test_a_few_costs_show_that_a_bound_is_no_proof_but_not_that_it_is():
    """The least cost comes last, behind those that are looked at first."""
    nodes = np.arange(1502)
    problem = mc.Problem(np.column_stack([nodes[:-1], nodes[1:]]), [-5.0] * 1500 + [-1.0])
    assert certify(problem, -7501.0, -7501.5) == -7501.0
    assert certify(problem, -7501.0, -7503.0) == -7503.0
    assert certify(problem, -7501.0, -7510.0) == -7510.0


def test_costs_far_above_a_typical_one() -> None:
    """Most costs are tiny, so that a few are more than 1e300 times the typical one."""
    edges = [
        [0, 4], [0, 5], [5, 3], [2, 4], [4, 1], [4, 5], [4, 3], [2, 1],
        [3, 1], [0, 2], [5, 2], [3, 2], [1, 0], [5, 1], [0, 3],
    ]  # fmt: skip
    costs = [
        -5e-324, 1e-300, 1e300, -1e300, 1.0, -1e16, 1.0, 1e-300,
        0.0, -5e-324, -1e300, 1e300, -1e-300, 1e16, -1.0,
    ]  # fmt: skip
    problem = mc.Problem(edges, costs)
    assert mc.lower_bound(problem) <= -1e300
    joined = mc.solve(problem, "gasp", linkage="max", bound=True)
    assert joined.objective == 0.0
    assert not joined.optimal


def test_the_processor_goes_on_where_a_device_has_too_little_memory(monkeypatch):
    torch = pytest.importorskip("torch")
    from multicut.nn.search.packing_bound import PackingBound

    problem = mc.datasets.randommp(200, seed=1)

    def full(_self):
        yield "triangles"
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(PackingBound, "improve", full)
    assert mc.lower_bound(problem, device="cpu") == mc.lower_bound(problem)
    assert mc.lower_bound(problem, 0.0, device="cpu") <= mc.lower_bound(problem)

    def broken(_self):
        raise RuntimeError("something else")
        yield

    monkeypatch.setattr(PackingBound, "improve", broken)
    with pytest.raises(RuntimeError, match="something else"):
        mc.lower_bound(problem, device="cpu")


def test_cuts_bound_what_only_lifted_edges_would_join():
    path = [[0, 1], [1, 2]]
    problem = mc.Problem(path, [-1, -2], lifted_edges=[[0, 2]], lifted_costs=[5])
    assert mc.lower_bound(problem) == pytest.approx(0.0)
    assert mc.lower_bound(problem) <= 0.0
    weaker = mc.Problem(path, [-1, -2], lifted_edges=[[0, 2]], lifted_costs=[2])
    assert mc.lower_bound(weaker) == pytest.approx(-1.0)
    # An edge that attracts leaves a way.
    free = mc.Problem(
        [*path, [0, 3], [3, 2]], [-1, -2, 0, 1], lifted_edges=[[0, 2]], lifted_costs=[5]
    )
    assert mc.lower_bound(free) == pytest.approx(-3.0)


def test_bounds_of_lifted_problems_lie_below_optima_and_above_those_without_cuts():
    num_raised = num_tight = 0
    for seed in range(400):
        problem = random_lifted_problem(7, 0.45, 0.5, seed)
        if not problem.is_lifted:
            continue
        union = Union.of(problem)
        cycles = union.bound_of_lifted(mc.lower_bound(union.problem))
        bound, best = mc.lower_bound(problem), optimum(problem)
        assert cycles - 1e-12 <= bound <= best + 1e-12
        num_raised += bound > cycles + 1e-6
        num_tight += bound > best - 1e-6 > cycles + 1e-6
    assert num_raised > 20
    assert num_tight > 5


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_cuts_with_cannot_links_and_costs_of_any_size(scale):
    for seed in range(60):
        drawn = random_lifted_problem(6, 0.6, 0.5, seed)
        if not drawn.is_lifted:
            continue
        costs = drawn.costs * scale
        costs[0] = -np.inf
        problem = mc.Problem(
            drawn.edges,
            costs,
            drawn.num_nodes,
            lifted_edges=drawn.lifted_edges,
            lifted_costs=drawn.lifted_costs * scale,
        )
        assert mc.lower_bound(problem) <= optimum(problem) + 1e-12 * scale


def test_cuts_are_packed_within_the_time_limit_and_reported():
    problem = mc.datasets.generate(
        "lifted-planted", 1, min_nodes=3000, max_nodes=3000, num_clusters=20
    )[0].problem
    heard = []
    mc.solve(problem, "gaec", bound=True, callback=lambda p: heard.append(p.lower_bound) and False)
    bounds = [bound for bound in heard if bound is not None]
    assert bounds == sorted(bounds)
    union = Union.of(problem)
    assert mc.lower_bound(problem) > union.bound_of_lifted(mc.lower_bound(union.problem)) + 1
    assert mc.lower_bound(problem, 0.0) <= mc.lower_bound(problem)
