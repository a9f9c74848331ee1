"""The stages that ``ilp`` and ``lp`` share."""

from __future__ import annotations

import multicut as mc
from multicut.solvers import exact_solve


def test_a_search_ends_earlier_than_the_deadline_by_a_step_that_cannot_be_stopped(monkeypatch):
    reserved = []
    begin = exact_solve.ExactSolve._blockwise_search

    def noted(self):
        reserved.append(self._watch.reserve)
        return begin(self)

    monkeypatch.setattr(exact_solve.ExactSolve, "_blockwise_search", noted)
    monkeypatch.setattr(exact_solve, "_STEP_SECONDS", 0.01)
    problem = mc.datasets.randommp()
    core = mc.reduce(problem).problem
    limited = mc.solve(problem, "lp", time_limit=1000)
    mc.solve(problem, "lp", time_limit=3)
    endless = mc.solve(problem, "lp")
    assert reserved == [0.01 * core.num_edges, 0.3 * 3, 0.0]
    assert limited.objective == endless.objective
