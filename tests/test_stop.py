"""Why a solve ends, as a value and as a text."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import multicut as mc
from multicut.stop import Progress, StopReason, relative_gap
from tests.problems import random_problem


def test_a_reason_is_its_text():
    assert [str(reason) for reason in StopReason] == [
        "converged",
        "time_limit",
        "callback",
        "interrupt",
    ]
    assert StopReason.TIME_LIMIT == "time_limit"
    assert {"time_limit": 1}[StopReason.TIME_LIMIT] == 1
    assert json.dumps(StopReason.CALLBACK) == '"callback"'
    assert np.array(StopReason.INTERRUPT).item() == "interrupt"
    assert pickle.loads(pickle.dumps(StopReason.CALLBACK)) is StopReason.CALLBACK


@pytest.mark.parametrize("record", mc.list_solvers(), ids=lambda record: record.name)
def test_every_solver_gives_a_reason(record):
    problem = random_problem(8, 0.5, seed=0)
    assert type(mc.solve(problem, record.name).stopped_by) is StopReason
    (result,) = mc.solve_batch([problem], record.name)
    assert type(result.stopped_by) is StopReason
    bounded = mc.solve(problem, record.name, bound=True)
    assert type(bounded.stopped_by) is StopReason


def test_gaps_are_relative_to_the_objective():
    assert relative_gap(-10.0, None) is None
    assert relative_gap(-10.0, -11.0) == pytest.approx(0.1)
    assert relative_gap(0.0, -2.0) == 2.0
    assert Progress(-4.0, 0.1, -4.0).gap == 0.0
