"""What docs/auto.md says is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import multicut as mc
from multicut.solvers import auto, staged
from multicut.solvers.auto import AutoOptions

PAGE = (Path(__file__).parents[2] / "docs" / "auto.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run(snippet):
    exec(snippet, {})


def test_the_example_is_what_happens():
    result = mc.solve(mc.datasets.randommp(seed=0))
    assert f"'{result.details['chosen']}'" in PAGE
    assert f"after {', '.join(result.details['objectives'])}" in PAGE


def test_options_and_thresholds_are_those_of_the_code():
    for name in AutoOptions.__dataclass_fields__:
        assert f"`{name}`" in PAGE
    assert f"{staged._STEPS_OF_BOUND / 1e9:g} billion steps" in PAGE
    assert f"{staged._ITERATIONS_OF_PROOF:,} iterations of the simplex method" in PAGE
    assert f"{staged._EDGES_OF_PROPOSALS // 1_000_000} million edges" in PAGE
    assert f"up to {staged._FEW_EDGES} edges" in PAGE
    assert f"edges, up to {staged._FEW_DENSE_EDGES:,}" in PAGE
    assert f"tries the rows up to {staged._SMALL_WEIGHT:g}" in PAGE
    assert f"up to {staged._MANY_EDGES:,} edges" in PAGE
    assert f"until {staged._LONG_PATIENCE} in a row bring no improvement" in PAGE
    assert f"until {staged._PATIENCE} proposals in a row bring no improvement" in PAGE
    assert f"at most {staged._SHARE_OF_SEARCH:g} of it" in PAGE
    assert f"gets {staged._SHARE_OF_PROOF:g} of what is left" in PAGE
    assert f"below {auto._SECONDS_FOR_GPU:g} s only if the kernels are compiled" in PAGE
    assert auto._EDGES_FOR_GPU == 1_000_000
