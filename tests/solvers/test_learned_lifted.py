"""The solver ``learned`` on problems with lifted edges: classical stages alone."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from tests.problems import optimum, random_lifted_problem
from tests.solvers.test_lifted import check_result, grid

EFFORTS = ("fastest", "fast", "balanced", "best")


@pytest.mark.parametrize("effort", EFFORTS)
def test_never_worse_than_gaec_nor_better_than_the_optimum(effort):
    for seed in range(40):
        problem = random_lifted_problem(7, 0.5, 0.5, seed)
        if not problem.is_lifted:
            continue
        result = mc.solve(problem, "learned", effort=effort)
        check_result(problem, result)
        assert optimum(problem) - 1e-12 <= result.objective
        assert result.objective <= mc.solve(problem, "gaec").objective


def test_effort_is_worth_its_time():
    problem = grid(30, 0, noise=2)
    found = [mc.solve(problem, "learned", effort=effort).objective for effort in EFFORTS]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[1] > found[2]


@pytest.mark.parametrize("effort", ["fastest", "fast"])
def test_no_worse_than_initial_labels_and_gaec(effort):
    problem = grid(12, 1, noise=2)
    best = mc.solve(problem, "fusion").labels
    for initial in (best, np.zeros(problem.num_nodes, dtype=int), np.arange(problem.num_nodes)):
        result = mc.solve(problem, "learned", effort=effort, initial=initial)
        assert result.objective <= mc.objective(problem, initial) + 1e-9
        assert result.objective <= mc.solve(problem, "gaec").objective
        hurried = mc.solve(problem, "learned", effort=effort, initial=initial, time_limit=0)
        assert hurried.objective <= mc.objective(problem, initial) + 1e-9


def test_a_batch_may_mix_problems_of_both_kinds():
    ordinary = mc.datasets.randommp(40, seed=0)
    problems = [grid(8, 0), ordinary, grid(9, 1)]
    results = mc.solve_batch(problems, "learned", seed=3)
    for problem, result in zip(problems, results, strict=True):
        alone = mc.solve(problem, "learned", seed=3)
        np.testing.assert_array_equal(result.labels, alone.labels)
        assert len(result.lifted_cut) == problem.num_lifted_edges


def test_no_network_takes_lifted_edges():
    problem = grid(5, 0)
    assert mc.solve(problem, "learned").details["network"].startswith("not used: no network")
    assert mc.solve(problem, "learned", use_network=False).details["network"].startswith("not used")
    for solver in ("gnn", "dual-greedy", "memetic"):
        with pytest.raises(ValueError, match=f"solver '{solver}' does not take lifted edges; use"):
            mc.solve(problem, solver)


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"model": "universal"}, "model='universal'"),
        ({"precision": "bfloat16"}, "precision='bfloat16'"),
        ({"use_network": True}, "use_network=True"),
    ],
)
def test_options_of_a_network_are_refused(given, shown):
    problem = grid(5, 0)
    message = f"{shown} of solver 'learned' needs problems without lifted edges.*leave it out"
    with pytest.raises(ValueError, match=message):
        mc.solve(problem, "learned", **given)
    with pytest.raises(ValueError, match=message):
        mc.solve_batch([mc.datasets.randommp(10, seed=0), problem], "learned", **given)


def test_a_loaded_model_is_refused_in_one_line():
    pytest.importorskip("torch")
    with pytest.raises(ValueError, match="model=a Model of solver 'learned' needs") as caught:
        mc.solve(grid(5, 0), "learned", model=mc.load_model("universal"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("solver", ["learned", "auto"])
def test_a_gpu_is_refused_and_the_processor_is_not(solver):
    problem = grid(5, 0)
    message = f"device='cuda:1' of solver '{solver}' has no effect on lifted problems.*leave it out"
    with pytest.raises(ValueError, match=message):
        mc.solve(problem, solver, device="cuda:1")
    found = mc.solve(problem, solver, device="cpu")
    np.testing.assert_array_equal(found.labels, mc.solve(problem, solver).labels)
