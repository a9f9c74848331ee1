"""Limits of exact searches that no clock has a part in."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.exact.decomposition import BlockwiseSearch
from multicut.exact.highs import HighsModel
from multicut.exact.work import Work
from multicut.stop import Stop
from multicut.watch import Watch


def test_iterations_and_edges_add_up():
    work = Work(100.0)
    work.add_round(num_edges=200, num_coefficients=0, num_iterations=30)
    assert work.most_iterations(0) == 60
    assert work.most_iterations(5_000) == 30
    assert not work.is_spent
    work.add_round(num_edges=400, num_coefficients=5_000, num_iterations=20)
    assert work.most_iterations(0) == 0
    assert work.is_spent


def test_without_a_limit_it_is_never_spent():
    work = Work()
    work.add_round(10**9, 10**9, 10**9)
    assert work.most_iterations(10) is None
    assert not work.is_spent


def test_a_linear_program_ends_at_its_limit():
    """A model of 40 variables that each inequality changes: more than one iteration."""
    size = 40
    for limit, is_solved in ((1.0, False), (10_000.0, True)):
        work = Work(limit)
        model = HighsModel(-np.arange(1.0, size + 1.0), np.zeros(size), np.ones(size), bool, work)
        edges = np.stack([np.arange(1, size), np.arange(size - 1)], axis=1).astype(np.int32)
        model.add_cycles(np.arange(0, 2 * size - 1, 2, dtype=np.int32), edges.ravel())
        model.fix(0, 0.0)
        assert (model.solve_relaxation() is not None) == is_solved
        assert work.is_spent != is_solved


@pytest.mark.parametrize("limit", [0.0, 100.0, 400.0, 5_000.0])
def test_the_same_work_leaves_the_same_solution(limit):
    problem = mc.datasets.randommp(300, seed=0)
    start = mc.solve(problem, "gaec")
    best = mc.solve(problem, "ilp").objective
    found = []
    for num_threads in (1, 3):
        search = BlockwiseSearch(
            problem, start.labels, Watch(Stop()), num_threads=num_threads, work=Work(limit)
        )
        search.run(integer=True)
        value = mc.objective(problem, search.labels)
        assert value - search.gap <= best + 1e-6 <= value + 2e-6
        assert search.is_proof_of(value) == (limit == 5_000.0)
        found.append((search.labels.tolist(), search.gap, search.details))
    assert found[0] == found[1]
    assert (found[0][2]["linear_programs"] == 0) == (limit == 0.0)
