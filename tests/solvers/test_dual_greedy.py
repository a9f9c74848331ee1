"""What dual-greedy promises beyond the contract of all solvers, and its policies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut.solvers.dual_greedy import Policy, list_policies, load_policy
from tests.problems import random_problem


def test_quality_on_randommp_graphs():
    """Mean objective ratios to the best known, as measured; a change for the worse fails."""
    problems = [mc.datasets.randommp(seed=seed) for seed in range(40)]
    best = np.array([mc.solve(p, "fusion", patience=60).objective for p in problems])
    ratios = [
        np.mean([mc.solve(p, "dual-greedy", policy=policy).objective for p in problems] / best)
        for policy in ("fast", "balanced", "best")
    ]
    assert ratios[0] > 0.993
    assert ratios[1] > 0.996
    assert ratios[2] > 0.998


def test_the_bound_comes_along():
    for seed in range(20):
        problem = random_problem(7, 0.6, seed)
        result = mc.solve(problem, "dual-greedy")
        optimum = mc.solve(problem, "ilp").objective
        assert result.lower_bound is not None
        assert result.lower_bound <= optimum <= result.objective
        assert result.optimal == (result.lower_bound == result.objective)


def test_a_better_bound_is_computed_on_request():
    problem = mc.datasets.randommp(seed=1)
    quick, better = (mc.solve(problem, "dual-greedy", bound=bound) for bound in (False, True))
    assert quick.lower_bound is not None
    assert better.lower_bound is not None
    assert quick.lower_bound < better.lower_bound < better.objective
    (batched,) = mc.solve_batch([problem], "dual-greedy")
    assert batched.lower_bound == quick.lower_bound


def test_the_bound_holds_with_constraints_and_huge_costs():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2], [2, 3]], [np.inf, -np.inf, 1.0, 1e12])
    result = mc.solve(problem, "dual-greedy")
    assert result.objective == 1.0
    assert result.lower_bound is not None
    assert result.lower_bound <= 1.0


def test_the_scale_of_costs_does_not_matter():
    problem = mc.datasets.randommp(seed=3)
    large = mc.Problem(problem.edges, 1024 * problem.costs)
    assert np.array_equal(
        mc.solve(problem, "dual-greedy").labels, mc.solve(large, "dual-greedy").labels
    )


def test_policies_that_come_with_the_package():
    assert list_policies() == ["balanced", "best", "fast"]
    fast, balanced, best = (load_policy(name) for name in ("fast", "balanced", "best"))
    assert fast.share > best.share
    assert balanced == Policy()  # what the native core starts other solvers with


def test_a_policy_is_a_name_a_file_or_an_object(tmp_path: Path):
    problem = mc.datasets.randommp(seed=2)
    policy = Policy(share=0.1, square_sweeps=0)
    path = tmp_path / "own.json"
    policy.save(path, {"description": "by hand"})
    assert json.loads(path.read_text())["description"] == "by hand"
    assert load_policy(path) == policy
    labels = [mc.solve(problem, "dual-greedy", policy=p).labels for p in (policy, path, str(path))]
    assert np.array_equal(labels[0], labels[1])
    assert np.array_equal(labels[0], labels[2])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[]", "is not a policy: it must be a JSON object with the key 'constants'"),
        ("{", "is not a policy: it must be a JSON object with the key 'constants'"),
        ('{"constants": 3}', "is not a policy: its 'constants' must be an object"),
        ('{"constants": {"share": 2}}', "share must be between 0.0001 and 1, got 2"),
        ('{"constants": {"shares": 1}}', "has no option 'shares'; did you mean 'share'"),
    ],
)
def test_files_that_are_no_policies(tmp_path: Path, content: str, message: str):
    path = tmp_path / "own.json"
    path.write_text(content)
    with pytest.raises((ValueError, TypeError), match=message):
        load_policy(path)


def test_unknown_policies():
    problem = mc.Problem([[0, 1]], [1.0])
    with pytest.raises(ValueError, match="policy must be one of balanced, best, fast or a file"):
        mc.solve(problem, "dual-greedy", policy="nope")
    with pytest.raises(TypeError, match="policy must be a name, a path or a Policy, got int"):
        mc.solve(problem, "dual-greedy", policy=3)
