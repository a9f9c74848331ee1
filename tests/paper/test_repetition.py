from __future__ import annotations

import pytest

from paper.repetition import quickest


@pytest.mark.parametrize(
    ("times", "warm_up", "expected", "num_runs"),
    [
        ([0.3, 0.1, 0.2, 0.0], False, 0.1, 3),
        ([0.1, 0.3, 0.2, 0.4], True, 0.2, 4),  # the first does not count
        ([2.0, 0.1], False, 2.0, 1),  # long, so not repeated
        ([2.0, 1.5, 0.1], True, 1.5, 2),  # a warm-up may be long
        ([9.0, 0.1], True, 9.0, 1),  # but not very long
        ([0.5, 3.0, 0.1], False, 0.5, 2),
    ],
)
def test_quickest(times, warm_up, expected, num_runs):
    left = list(times)
    assert quickest(lambda: left.pop(0), lambda time: time, warm_up=warm_up) == expected
    assert len(times) - len(left) == num_runs
