"""What ilp and lp promise beyond the contract of all solvers."""

from __future__ import annotations

import signal
import threading

import numpy as np
import pytest
from hypothesis import given, settings

import multicut as mc
from multicut import _core
from multicut.exact.branch_and_cut import BranchAndCut
from multicut.exact.decomposition import BlockwiseSearch
from multicut.exact.highs import HighsModel
from multicut.stop import Stop
from multicut.watch import Watch
from tests.problems import chained, optimum, random_problem, small_problems


@settings(max_examples=300, deadline=None)
@given(small_problems(constrained=True))
def test_awkward_small_problems_are_solved_and_bracketed(problem):
    best = optimum(problem)
    scale = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
    exact, relaxed = mc.solve(problem, "ilp"), mc.solve(problem, "lp")
    assert exact.optimal
    assert exact.gap == 0
    assert exact.objective == pytest.approx(best, abs=1e-6 * scale)
    assert relaxed.lower_bound <= best + 1e-6 * scale
    assert relaxed.objective >= best - 1e-6 * scale


@pytest.mark.parametrize("density", [0.3, 0.6, 1.0])
@pytest.mark.parametrize("integers", [False, True])
def test_random_problems_equal_brute_force(density, integers):
    for seed in range(250):
        problem = random_problem(5 + seed % 4, density, seed, integers)
        result = mc.solve(problem, "ilp")
        assert result.optimal
        assert result.objective == pytest.approx(optimum(problem), abs=1e-7)


def test_planar_problems_equal_brute_force():
    triangulated_grid = [(0, 1), (1, 2), (0, 3), (1, 4), (2, 5), (3, 4), (4, 5), (3, 6), (4, 7)]
    triangulated_grid += [(5, 8), (6, 7), (7, 8), (0, 4), (1, 5), (3, 7), (4, 8)]
    rng = np.random.default_rng(0)
    for seed in range(150):
        costs = rng.normal(size=16) if seed % 2 else rng.integers(-2, 3, 16).astype(float)
        costs[rng.random(16) < 0.1] = rng.choice([0.0, -np.inf])
        problem = mc.Problem(triangulated_grid, costs)
        result = mc.solve(problem, "ilp")
        assert result.optimal
        assert result.objective == pytest.approx(optimum(problem), abs=1e-7)


def test_wheels_close_the_gap_of_the_cycle_relaxation():
    # A centre that attracts three nodes which repel each other: the relaxation takes halves.
    edges = [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3], [3, 1]]
    problem = mc.Problem(edges, 1.1 * np.array([2, 2, 2, -2, -2, -2]))
    assert mc.solve(problem, "lp").lower_bound == pytest.approx(-3.3)
    assert not mc.solve(problem, "lp").optimal
    exact = mc.solve(problem, "ilp")
    assert exact.optimal
    assert exact.objective == optimum(problem)
    # No objective lies between the bound and what costs that are multiples of two add up to.
    assert mc.solve(mc.Problem(edges, [2, 2, 2, -2, -2, -2]), "lp").optimal


def test_search_without_wheels_agrees(monkeypatch):
    """Branching alone, with inequalities that come and go."""
    problems = [mc.datasets.randommp(80, seed=seed) for seed in range(8)]
    expected = [mc.solve(problem, "ilp").objective for problem in problems]
    monkeypatch.setattr("multicut.exact.branch_and_cut._LEAST_WHEEL_VIOLATION", 1.0)
    monkeypatch.setattr("multicut.exact.highs._MANY_ROWS", 0)
    branchings = 0
    for problem, best in zip(problems, expected, strict=True):
        result = mc.solve(problem, "ilp")
        assert result.optimal
        assert result.objective == pytest.approx(best)
        assert result.details["odd_wheels"] == 0
        branchings += result.details["branchings"]
    assert branchings > 8


def test_bounds_are_never_worse_than_that_of_a_packing(monkeypatch):
    """Stopped early, linear programs alone would leave a bound far from the optimum."""
    monkeypatch.setattr("multicut.solvers.exact_solve._ROUNDS_OF_PACKING", 200)
    monkeypatch.setattr("multicut.watch._SECONDS_BETWEEN_CALLS", 0.0)
    for problem in (mc.datasets.randommp(6_000), random_problem(40, 1.0, seed=1)):
        reduction = mc.reduce(problem)
        packing = mc.lower_bound(reduction.problem) + reduction.offset
        packing -= reduction.error + 2e-15 * abs(packing)  # sums are rounded
        for solver in ("ilp", "lp"):
            heard = []

            def stop(progress, heard=heard):
                heard.append(progress)
                return progress.details.get("linear_programs", 0) > 0

            result = mc.solve(problem, solver, callback=stop)
            assert result.stopped_by == "callback"
            assert result.lower_bound >= packing
            assert heard[-1].lower_bound <= result.lower_bound


@pytest.mark.parametrize("solver", ["ilp", "lp"])
def test_the_bound_of_a_result_is_the_best_one_that_was_told(solver, monkeypatch):
    """Wherever it is stopped, and whatever other blocks have left open by then."""
    monkeypatch.setattr("multicut.watch._SECONDS_BETWEEN_CALLS", 0.0)
    problem = chained([mc.datasets.randommp(40, seed=seed) for seed in range(8)])
    for most in (1, 3, 10, 30):
        heard = []

        def stop(progress, heard=heard, most=most):
            if progress.details.get("linear_programs", 0) > 0:
                heard.append(progress.lower_bound)
            return len(heard) >= most

        result = mc.solve(problem, solver, 100, callback=stop)
        assert result.lower_bound >= max(heard)


def one_cluster_is_best(size: int) -> mc.Problem:
    """A grid of attractive edges, with a few repulsive ones that are outweighed."""
    rng = np.random.default_rng(0)
    ids = np.arange(size * size).reshape(size, size)
    across = np.stack([ids[:, :-1].ravel(), ids[:, 1:].ravel()], axis=1)
    down = np.stack([ids[:-1].ravel(), ids[1:].ravel()], axis=1)
    costs = rng.normal(1.0, 0.1, 2 * size * (size - 1))
    costs[rng.random(len(costs)) < 0.06] *= -0.3
    return mc.Problem(np.concatenate([across, down]), costs)


@pytest.mark.parametrize("solver", ["ilp", "lp"])
def test_an_optimum_of_zero_is_proven_without_branching(solver):
    """Relative to zero no multiplier is precise enough."""
    result = mc.solve(one_cluster_is_best(60), solver)
    assert result.optimal
    assert result.objective == 0.0
    assert result.details["branchings"] == 0


def test_an_optimum_of_zero_beside_huge_costs_is_proven_exactly():
    """Where costs differ widely, rounding of the large ones leaves nothing open."""
    for size in (1e9, 1e12, 1e15):
        # Joined, the nodes cost nothing; the best partition costs 0.001 less than that.
        problem = mc.Problem([[0, 1], [1, 2], [0, 2], [2, 3]], [size, 1.0, -1.001, size])
        for solver in ("ilp", "auto"):
            result = mc.solve(problem, solver)
            assert result.optimal
            assert result.objective == pytest.approx(-0.001)


def test_blocks_that_cancel_out_are_proven_as_precisely_as_what_is_left():
    """The rounding of each block is tiny beside its objective, not beside the total."""
    for seed in range(10):
        first = random_problem(7, 1.0, seed)
        costs = np.abs(first.costs) + 1.0
        costs[0] = -np.inf
        first = mc.Problem(first.edges, costs)
        second = random_problem(7, 1.0, seed + 100)
        scale = -mc.solve(first, "ilp").objective / mc.solve(second, "ilp").objective
        second = mc.Problem(second.edges, second.costs * scale * (1.0 + 1e-12))
        result = mc.solve(chained([first, second]), "ilp")
        assert result.stopped_by == "converged"
        assert result.optimal


def test_costs_that_are_cut_for_sure_count_for_the_precision(monkeypatch):
    """What is left open is relative to the whole objective, offset included."""
    asked = []
    search = BranchAndCut.run

    def run(self):
        asked.append(self._promise)
        search(self)

    monkeypatch.setattr(BranchAndCut, "run", run)
    problem = random_problem(30, 0.5, seed=1)
    for offset in (0.0, -1e6):
        BlockwiseSearch(problem, np.zeros(30, dtype=np.int64), Watch(Stop()), offset).run(
            integer=True
        )
    assert asked[1] >= 1e-4
    assert asked[0] < 1e-6


def test_a_program_without_solution_by_mistake_is_branched_upon(monkeypatch):
    """Else the same inequalities would be added for ever."""
    problem = random_problem(6, 1.0, seed=1)
    best = optimum(problem)
    monkeypatch.setattr(HighsModel, "is_infeasible", True)
    result = mc.solve(problem, "ilp")
    assert result.optimal
    assert result.objective == pytest.approx(best)


@pytest.mark.parametrize("solver", ["ilp", "lp", "gaec"])
def test_no_false_proofs_beside_outliers(solver):
    """A few huge costs must not make differences between ordinary ones look like rounding."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        problem = random_problem(7, 0.8, seed)
        outliers = rng.random(problem.num_edges) < 0.2
        size = 10.0 ** rng.integers(5, 10)
        signs = rng.choice([-1.0, 1.0]) if seed % 2 else np.sign(problem.costs[outliers])
        costs = problem.costs.copy()
        costs[outliers] = size * signs
        problem = mc.Problem(problem.edges, costs, num_nodes=7)
        best = optimum(problem)
        result = mc.solve(problem, solver, bound=True)
        assert result.optimal or solver != "ilp"
        assert result.lower_bound <= best + 1e-5
        assert not result.optimal or result.objective <= best + 1e-5


def test_results_are_plain_python_values():
    for solver in ("ilp", "lp"):
        result = mc.solve(mc.datasets.randommp(60, seed=1), solver)
        assert type(result.optimal) is bool
        assert type(result.lower_bound) is float
        assert result.to_json()


def test_randommp_graphs_are_solved_to_optimality():
    for seed in range(10):
        problem = mc.datasets.randommp(seed=seed)
        exact, relaxed = mc.solve(problem, "ilp"), mc.solve(problem, "lp")
        assert exact.optimal
        assert exact.lower_bound == exact.objective
        assert exact.objective <= mc.solve(problem, "fusion").objective
        assert relaxed.lower_bound <= exact.objective <= relaxed.objective
        assert relaxed.lower_bound >= 1.02 * exact.objective


@pytest.mark.parametrize("name", ["karate", "lesmis", "football"])
def test_modularity_optima(shared_data, name):
    path = shared_data / "modularity.npz"
    with np.load(path) as archive:
        known = dict(zip(archive["name"].tolist(), archive["optimum"].tolist(), strict=True))
    result = mc.solve(mc.read(path, instance=name), "ilp")
    assert result.optimal
    assert result.objective == known[name]


def test_a_time_limit_leaves_a_solution_and_a_bound():
    problem = random_problem(60, 1.0, seed=1)
    result = mc.solve(problem, "ilp", time_limit=0.5)
    assert result.stopped_by == "time_limit"
    assert not result.optimal
    assert result.lower_bound < result.objective
    assert result.runtime < 5
    assert result.objective == mc.objective(problem, result.labels)


def test_ctrl_c_leaves_a_solution_and_a_bound():
    problem = random_problem(60, 1.0, seed=1)
    timer = threading.Timer(0.7, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        result = mc.solve(problem, "ilp")
    finally:
        timer.cancel()
    assert result.stopped_by == "interrupt"
    assert result.lower_bound < result.objective


def test_a_callback_may_stop_it():
    problem = random_problem(60, 1.0, seed=1)
    result = mc.solve(problem, "ilp", callback=lambda progress: progress.elapsed > 0.5)
    assert result.stopped_by == "callback"


@pytest.mark.parametrize("solver", ["ilp", "lp"])
def test_wherever_it_is_stopped_bound_and_solution_bracket_the_optimum(solver, monkeypatch):
    monkeypatch.setattr("multicut.watch._SECONDS_BETWEEN_CALLS", 0.0)
    problem = mc.datasets.randommp(130, seed=5)
    best = mc.solve(problem, "ilp").objective
    for num_calls in range(1, 150, 5):
        for stop in (lambda: True, lambda: signal.raise_signal(signal.SIGINT)):
            heard = []

            def listen(progress, heard=heard, num_calls=num_calls, stop=stop):
                heard.append(progress)
                return len(heard) >= num_calls and stop()

            result = mc.solve(problem, solver, callback=listen)
            assert result.lower_bound <= best + 1e-9 <= result.objective + 2e-9
            assert not result.optimal or result.objective == pytest.approx(best)
            assert result.trace[-1, 1] == result.objective
            bounds = [now.lower_bound for now in heard if now.lower_bound is not None]
            assert bounds == sorted(bounds)
            objectives = [now.objective for now in heard]
            assert objectives == sorted(objectives, reverse=True)


def test_a_callback_may_stop_the_search_for_a_start():
    problem = mc.datasets.randommp(5_000)
    heard = []
    result = mc.solve(problem, "ilp", callback=lambda now: heard.append(now) or len(heard) == 3)
    assert result.stopped_by == "callback"
    assert len(heard) == 3
    assert result.details["linear_programs"] == 0


def test_an_error_in_a_callback_leaves_no_solver_running():
    problem = mc.datasets.randommp(1_500, seed=1)
    threads = threading.active_count()

    def fail(progress):
        if progress.details.get("linear_programs", 0) > 2:
            raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        mc.solve(problem, "ilp", callback=fail)
    assert threading.active_count() == threads


def test_bridges_need_no_programs():
    rng = np.random.default_rng(0)
    edges = np.stack([rng.integers(0, np.arange(1, 20_000)), np.arange(1, 20_000)], axis=1)
    costs = rng.normal(size=len(edges))
    costs[0] = -np.inf  # constraints keep the problem from being reduced
    result = mc.solve(mc.Problem(edges, costs), "ilp")
    assert result.optimal
    assert result.objective == pytest.approx(np.minimum(costs[1:], 0).sum())
    assert result.details["linear_programs"] == 0


def test_a_callback_hears_of_bound_and_cuts():
    heard = []
    result = mc.solve(random_problem(40, 1.0, seed=1), "ilp", 2, callback=heard.append)
    last = heard[-1]
    assert last.objective == pytest.approx(result.objective)
    assert last.lower_bound <= result.objective + 1e-9
    assert last.gap < 1
    assert last.details["cycle_inequalities"] > 0
    bounds = [progress.lower_bound for progress in heard if progress.lower_bound is not None]
    assert bounds == sorted(bounds)


def test_summary_tells_of_the_proof():
    assert "proven optimal" in mc.solve(random_problem(8, 0.5, seed=0), "ilp").summary()
    assert "gap" in mc.solve(random_problem(60, 1.0, seed=1), "ilp", time_limit=0.3).summary()


def test_a_batch_leaves_the_packing_one_thread_for_each_worker(monkeypatch):
    pack = _core.pack_cycles
    threads = []

    def spy(*given, num_threads, **others):
        threads.append(num_threads)
        return pack(*given, num_threads=num_threads, **others)

    monkeypatch.setattr(_core, "pack_cycles", spy)
    problems = [mc.datasets.randommp(200, seed=seed) for seed in range(2)]
    for solver in ("lp", "ilp"):
        mc.solve_batch(problems, solver, time_limit=60.0, num_workers=2)
    assert set(threads) == {1}
