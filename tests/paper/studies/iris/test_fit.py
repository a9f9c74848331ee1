"""The fit of variants of IrisMP: statistics, and that a known constant is found again."""

from __future__ import annotations

import numpy as np
import pytest

from paper.studies.iris.fit import (
    PUBLISHED,
    costs_of,
    describe,
    describe_solutions,
    distance_to_published,
    fit,
)
from paper.studies.iris.variants import Variant, draw

PLAIN = Variant("z-score", "two", "without replacement", 2)


def test_the_fit_finds_the_constant_of_the_shipped_set() -> None:
    # exp(-(0.6 d)^2)
    assert fit(draw(PLAIN, 200), PLAIN) == pytest.approx(0.36, rel=0.08)


def test_statistics_by_hand() -> None:
    graphs = draw(PLAIN, 4)
    costs = np.split(costs_of(graphs, PLAIN, 0.36), graphs.offsets[1:-1])
    found = describe(graphs, PLAIN, 0.36) | describe_solutions(graphs, PLAIN, 0.36)
    assert found["min"] == pytest.approx(np.mean([each.min() for each in costs]))
    assert found["mean ±"] == pytest.approx(np.std([each.mean() for each in costs]))
    assert found["negative"] == pytest.approx(np.mean([np.minimum(c, 0).mean() for c in costs]))
    assert found["negative"] <= found["optimum"] <= 0
    assert 0 <= found["gaec"] <= 1
    assert found.keys() == PUBLISHED.keys()
    assert distance_to_published({name: value for name, (value, _) in PUBLISHED.items()}) == 0
