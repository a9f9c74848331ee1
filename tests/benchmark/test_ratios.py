from __future__ import annotations

import numpy as np
import pytest

from multicut.benchmark.ratios import num_worse, objective_ratios, optima_of
from multicut.datasets import LabelledProblem


def test_ratios_lie_between_0_and_1():
    ratios = objective_ratios([-5.0, 1.0, -8.0, 0.0, 3.0], [-10.0, -10.0, -8.0, 0.0, 0.0])
    assert ratios.tolist() == [0.5, 0.0, 1.0, 1.0, 0.0]
    assert not np.signbit(objective_ratios([0.0], [-1.0]))[0]


def test_rounding_is_not_worse():
    assert num_worse([-1.0, -2.0, -3.0, 0.0], [-1.0 - 1e-12, -2.1, -2.9, 0.0]) == 1


def test_optima_of_labelled_problems():
    solved = LabelledProblem(np.array([[0, 1]]), np.array([-2.0]), 2, objective=-2.0)
    assert optima_of([solved, solved]) == [-2.0, -2.0]
    with pytest.raises(ValueError, match="problem 1 has no objective; label it"):
        optima_of([solved, LabelledProblem(solved.edges, solved.costs, 2)])
