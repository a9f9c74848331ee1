"""The solver ``auto`` beyond the contract of all solvers."""

from __future__ import annotations

import math
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

import multicut as mc
from multicut.models import devices
from multicut.solvers import auto, klj, staged
from multicut.solvers.learned import solver as learned
from multicut.stop import Stop
from tests.exact.big_m import big_m_problem
from tests.problems import chained, optimum, random_problem, small_problems
from tests.test_solve import check_contract

GENERATORS = [
    record.name for record in mc.datasets.list_generators(lifted=False) if record.name != "scaling"
]


def grid(side: int) -> mc.Problem:
    """Return a grid with long-range edges; from a side of 5 on, no proof is near."""
    options = {"min_side": side, "max_side": side, "split": "valid"}
    return mc.datasets.generate("grid-3d", 1, **options)[0]


@settings(max_examples=100, deadline=None)
@given(problem=small_problems(constrained=True))
def test_awkward_small_problems_are_proven_optimal(problem):
    result = mc.solve(problem)
    check_contract(problem, result)
    assert result.optimal
    total = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
    assert result.objective == pytest.approx(optimum(problem), abs=1e-9 * total)
    assert result.objective <= mc.solve(problem, "gaec").objective


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("time_limit", [1.0, None])
def test_it_is_never_worse_than_gaec(generator, time_limit, monkeypatch):
    monkeypatch.setattr(staged, "_ITERATIONS_OF_PROOF", 10_000)
    for problem in mc.datasets.generate(generator, 2, split="valid"):
        result = mc.solve(problem, time_limit=time_limit)
        check_contract(problem, result)
        assert result.objective <= mc.solve(problem, "gaec").objective
        if result.lower_bound is not None:
            assert result.lower_bound <= mc.solve(problem, "fusion").objective


def test_the_floor_holds_if_everything_else_is_bad(monkeypatch):
    def spoil(attempt, *_args, **_kwargs):
        attempt.labels = np.arange(attempt.core.num_nodes)

    monkeypatch.setattr(staged.StagedAttempt, "advance", spoil)
    monkeypatch.setattr(staged.StagedAttempt, "_leaves_time_for_proof", lambda _: False)
    for seed in range(10):
        problem = random_problem(30, 0.3, seed)
        assert mc.solve(problem).objective <= mc.solve(problem, "gaec").objective


def test_the_bound_is_one_of_the_problem_and_not_of_its_core():
    for seed in range(6):
        problem = mc.datasets.generate("voronoi", 1, start=seed, split="valid")[0]
        best = mc.solve(problem, "ilp")
        result = mc.solve(problem)
        assert "reduced_nodes" in result.details
        assert result.optimal
        assert result.lower_bound == result.objective == pytest.approx(best.objective)


@pytest.mark.parametrize(
    ("problem", "solver", "reason"),
    [
        (
            lambda: mc.Problem([[0, 1]], [1.0]),
            "fusion",
            "proven optimal by fusion and a lower bound; 0 edges",
        ),
        (lambda: mc.datasets.randommp(seed=1), "ilp", "proven optimal by ilp; "),
        (lambda: grid(7), "fusion", "fusion: not proven optimal, as a gap of"),
        (
            lambda: mc.datasets.randommp(30_000),
            "fusion",
            "fusion: 108,660 edges after reduction are too many for a proof",
        ),
    ],
)
def test_it_says_what_it_chose_and_why(problem, solver, reason, monkeypatch):
    monkeypatch.setattr(staged, "_EDGES_OF_PROPOSALS", 300_000)
    result = mc.solve(problem())
    assert result.solver == solver
    assert result.details["chosen"].startswith(reason)
    assert result.optimal == reason.startswith("proven optimal")
    first, *_ = result.summary().splitlines()
    assert first.split(maxsplit=1)[1] == f"{solver}, chosen by auto (seed 0)"
    assert "\nauto  " in result.summary()
    assert result.details["chosen"] in result.summary()


def test_what_the_clock_forbids_is_said():
    problem = mc.datasets.randommp(6_000)
    assert mc.solve(problem, time_limit=0).details["chosen"] == "gaec: no time left"
    hurried = mc.solve(problem, time_limit=0.15)
    assert hurried.stopped_by == "time_limit"
    assert "no time" in hurried.details["chosen"]


def test_a_proof_that_takes_too_long_leaves_its_bound(monkeypatch):
    monkeypatch.setattr(staged, "_ITERATIONS_OF_PROOF", 0)
    problem = grid(4)
    result = mc.solve(problem)
    assert result.solver == "fusion"
    assert "not proven optimal by 0 linear programs of ilp" in result.details["chosen"]
    assert result.stopped_by == "converged"
    assert -math.inf < result.lower_bound < result.objective
    assert result.lower_bound <= mc.solve(problem, "ilp").objective


def test_bounds_of_integer_costs_are_integers(monkeypatch):
    monkeypatch.setattr(staged, "_ITERATIONS_OF_PROOF", 0)
    for problem in mc.datasets.generate("cluster-editing", 8, split="valid"):
        result = mc.solve(problem)
        assert result.lower_bound == round(result.lower_bound)
        assert result.lower_bound <= mc.solve(problem, "ilp").objective
    for costs, is_proven in (([1.0, 2.0, -4.0], True), ([1.0, 2.0, -4.5], False)):
        problem = mc.Problem([[0, 1], [1, 2], [0, 2]], costs)
        attempt = staged.StagedAttempt(problem, Stop(), seed=0, num_threads=1)
        attempt.lay_floor()
        attempt._raise_bound(mc.solve(problem, "ilp").objective - 0.9)
        assert attempt._is_proven() == is_proven


def test_bounds_of_large_integer_costs_are_rounded_up_to_integers_that_exist():
    size = 2.0**36
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [size, -size - 1.0, 2.0])
    attempt = staged.StagedAttempt(problem, Stop(), seed=0, num_threads=1)
    attempt.lay_floor()
    bound = attempt._objective - 5.0
    attempt._raise_bound(bound + 1e-2)
    assert attempt._bound == bound + 1.0
    attempt._raise_bound(bound + 2.5)
    assert attempt._bound == bound + 3.0
    for huge in (2.0**60, 1e300):
        problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [huge, -1.5 * huge, huge])
        attempt = staged.StagedAttempt(problem, Stop(), seed=0, num_threads=1)
        attempt.lay_floor()
        attempt._raise_bound(-2.0 * huge)
        assert attempt._bound == -2.0 * huge
        attempt._raise_bound(-math.inf)
        assert attempt._bound == -2.0 * huge


def test_a_search_ends_when_it_meets_the_bound():
    """With a time limit of half a minute and no end of patience, nothing else would end it."""
    problem = mc.datasets.generate("cluster-editing", 1, split="valid")[0]
    attempt = staged.StagedAttempt(problem, Stop(30.0), seed=0, num_threads=1)
    attempt.lay_floor()
    attempt.labels = np.arange(problem.num_nodes)
    attempt._objective = 0.0
    attempt._raise_bound(mc.solve(problem, "ilp").objective)
    attempt._fuse("fusion", 2**31 - 1)
    assert attempt._is_proven()
    assert attempt.finish().stopped_by == "converged"


def test_stages_tell_what_they_found():
    result = mc.solve(mc.datasets.randommp(seed=3))
    found = result.details["objectives"]
    assert list(found) == ["gaec", "dual_greedy", "klj", "fusion", "ilp"]
    assert all(
        earlier >= later
        for earlier, later in zip([*found.values()], [*found.values()][1:], strict=False)
    )
    assert found["ilp"] == pytest.approx(result.objective)
    assert {"gaec", "reduce", "klj", "fusion", "bound", "ilp"} <= set(result.details["seconds"])
    assert result.details["linear_programs"] > 0


def test_the_choice_does_not_depend_on_threads_or_chance():
    problem = grid(7)
    results = [mc.solve(problem, num_threads=threads) for threads in (1, 2, 1)]
    assert len({result.details["chosen"] for result in results}) == 1
    assert all(np.array_equal(results[0].labels, result.labels) for result in results)


@pytest.mark.parametrize(
    ("make", "is_tried"),
    [(lambda: grid(5), True), (lambda: mc.datasets.randommp(400, seed=1), False)],
)
def test_without_a_time_limit_no_clock_has_a_part_in_the_result(make, is_tried, monkeypatch):
    """Nor the load of the machine: a clock that runs a thousand times as fast as the work."""
    problem = make()
    monkeypatch.setattr(staged, "_ITERATIONS_OF_PROOF", 2_000)
    monkeypatch.setattr(staged, "_STEPS_OF_BOUND", 1_000_000)
    heard = []
    calm = mc.solve(problem)
    start = time.perf_counter()
    clock = SimpleNamespace(perf_counter=lambda: start + 1000.0 * (read_clock() - start))
    read_clock = time.perf_counter
    for module in ("watch", "solving.run", "solving.bounds", "solvers.staged", "exact.highs"):
        monkeypatch.setattr(sys.modules[f"multicut.{module}"], "time", clock)
    hurried = mc.solve(problem, callback=heard.append)
    assert hurried.runtime > 100.0 * calm.runtime
    assert len(heard) > 0
    assert np.array_equal(calm.labels, hurried.labels)
    assert calm.lower_bound == hurried.lower_bound
    assert calm.details["chosen"] == hurried.details["chosen"]
    assert ("linear programs of ilp" in calm.details["chosen"]) == is_tried


def test_more_work_gives_a_proof():
    problem = grid(4)
    assert mc.solve(problem).optimal
    assert not mc.solve(grid(5)).optimal


def test_a_callback_hears_objectives_and_bounds_and_may_stop():
    problem = mc.datasets.randommp(600, seed=5)
    heard = []
    result = mc.solve(problem, callback=heard.append)
    values = [progress.objective for progress in heard]
    assert values == sorted(values, reverse=True)
    bounds = [progress.lower_bound for progress in heard if progress.lower_bound is not None]
    assert bounds == sorted(bounds)
    assert bounds[-1] <= result.objective
    stopped = mc.solve(problem, callback=lambda progress: progress.lower_bound is not None)
    assert stopped.stopped_by == "callback"
    assert stopped.objective <= mc.solve(problem, "gaec").objective


def test_large_problems_go_to_a_gpu_if_there_is_one(monkeypatch):
    problem = random_problem(20, 0.5, seed=1)
    monkeypatch.setattr(auto, "_EDGES_FOR_GPU", 10)
    monkeypatch.setattr(auto, "_find_gpu", lambda device, _: None if device == "cpu" else "cpu")
    result = mc.solve(problem)
    assert result.solver == "learned"
    assert "edges and a GPU" in result.details["chosen"]
    assert mc.solve(problem, device="cpu").solver != "learned"


def test_a_gpu_has_to_be_ready_if_there_is_little_time(monkeypatch):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(auto, "is_installed", lambda _: True)
    monkeypatch.setattr("multicut.models.devices.may_have_gpu", lambda: True)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("multicut.models.devices.as_device", torch.device)
    assert auto._find_gpu(None, 60.0) == "cuda"
    assert auto._find_gpu(None, 1.0) is None
    monkeypatch.setattr("multicut.models.loading._warm", {"cuda"})
    assert auto._find_gpu(None, 1.0) == "cuda"


def test_the_effort_of_the_network_depends_on_the_time(monkeypatch):
    efforts = []

    def note(problem, options, stop, seed):
        efforts.append(options.effort)
        return klj.RECORD.run(problem, klj.KljOptions(), stop, seed)

    monkeypatch.setattr(auto, "_EDGES_FOR_GPU", 10)
    monkeypatch.setattr(auto, "_find_gpu", lambda *_: "cuda")
    monkeypatch.setattr(learned, "run", note)
    problem = random_problem(20, 0.5, seed=1)
    mc.solve(problem)
    mc.solve(problem, time_limit=60)
    assert efforts == ["balanced", "best"]


def test_without_a_driver_torch_stays_away(monkeypatch):
    def fail(_name):
        raise OSError("no such library")

    monkeypatch.setattr(devices.ctypes, "CDLL", fail)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    assert auto._find_gpu(None, 60.0) is None
    assert "torch" not in sys.modules


def test_bad_options():
    problem = random_problem(5, 1.0, seed=0)
    with pytest.raises(ValueError, match="device must be 'cpu' or 'cuda', got 0"):
        mc.solve(problem, device=0)
    with pytest.raises(ValueError, match=r"device must be 'cpu' or 'cuda', got 'gpu'"):
        mc.solve(problem, device="gpu")
    with pytest.raises(ValueError, match="num_threads must be at least 1"):
        mc.solve(problem, num_threads=0)


def test_a_reduction_too_coarse_for_a_proof_is_used_to_search():
    """Blocks of a few edges each, with costs of up to 1e18: each is proven in a moment."""
    problem = chained([big_m_problem(seed) for seed in range(200, 260)])
    result = mc.solve(problem, "auto", 30)
    assert result.optimal
    assert result.objective == mc.solve(problem, "ilp").objective


def test_an_objective_near_zero_does_not_hide_a_narrow_gap():
    # Most of it attracts, so that little is cut: relative to that, any gap is wide.
    numbers = np.arange(1600).reshape(40, 40)
    edges = np.concatenate(
        [
            np.stack([numbers[:, :-1], numbers[:, 1:]], axis=-1).reshape(-1, 2),
            np.stack([numbers[:-1], numbers[1:]], axis=-1).reshape(-1, 2),
        ]
    )
    costs = np.random.default_rng(0).normal(1.0, 1.0, len(edges))
    assert mc.solve(mc.Problem(edges, costs), "auto").optimal
