from __future__ import annotations

import numpy as np

from multicut.benchmark.ratios import num_worse, objective_ratios


def test_ratios_lie_between_0_and_1():
    ratios = objective_ratios([-5.0, 1.0, -8.0, 0.0, 3.0], [-10.0, -10.0, -8.0, 0.0, 0.0])
    assert ratios.tolist() == [0.5, 0.0, 1.0, 1.0, 0.0]
    assert not np.signbit(objective_ratios([0.0], [-1.0]))[0]


def test_rounding_is_not_worse():
    assert num_worse([-1.0, -2.0, -3.0, 0.0], [-1.0 - 1e-12, -2.1, -2.9, 0.0]) == 1
