"""The fit of variants of IrisMP: statistics, and that a known constant is found again."""

from __future__ import annotations

import numpy as np
import pytest

from multicut import solve
from multicut.datasets import PUBLISHED as PUBLISHED_TABLES
from paper.published import TABLE_1, TEST_SETS
from paper.studies.iris.fit import (
    PUBLISHED,
    costs_of,
    describe,
    describe_solutions,
    differences,
    distance_to_published,
    fit,
    problems_of,
)
from paper.studies.iris.search import numbers_of
from paper.studies.iris.variants import Variant, draw

PLAIN = Variant("z-score", "two", "without replacement", 2)


def test_the_fit_finds_the_constant_of_the_shipped_set() -> None:
    # exp(-(0.6 d)^2)
    assert fit(draw(PLAIN, 200), PLAIN) == pytest.approx(0.36, rel=0.08)


def test_statistics_by_hand() -> None:
    graphs = draw(PLAIN, 4)
    costs = np.split(costs_of(graphs, PLAIN, 0.36), graphs.offsets[1:-1])
    problems = problems_of(graphs, PLAIN, 0.36)
    found = describe(graphs, PLAIN, 0.36) | describe_solutions(problems)
    assert found["min"] == pytest.approx(np.mean([each.min() for each in costs]))
    assert found["mean ±"] == pytest.approx(np.std([each.mean() for each in costs]))
    assert found["negative"] == pytest.approx(np.mean([np.minimum(c, 0).mean() for c in costs]))
    assert found["negative"] <= found["optimum"] <= 0
    assert 0 <= found["gaec"] <= 1
    optima = [solve(problem, "ilp").objective for problem in problems]
    shares = [o / p.num_edges for o, p in zip(optima, problems, strict=True)]
    assert found["optimum"] == pytest.approx(np.mean(shares))
    assert describe_solutions(problems, ("lp",))["lp"] <= 1
    assert found.keys() == PUBLISHED.keys()
    published = {name: value for name, (value, _) in PUBLISHED.items()}
    assert distance_to_published(published) == 0
    # Off by one unit each.
    assert distance_to_published({n: v + u for n, (v, u) in PUBLISHED.items()}) == pytest.approx(1)
    assert differences({"gaec": published["gaec"] - 0.006}) == pytest.approx({"gaec": -2})


def test_the_published_values_are_those_of_the_tables() -> None:
    table = numbers_of(PUBLISHED_TABLES["irismp"]["train"])
    table["gaec"] = TABLE_1["gaec"].ratios[TEST_SETS.index("IrisMP")] or 0.0
    assert table == {name: value for name, (value, _) in PUBLISHED.items()}
