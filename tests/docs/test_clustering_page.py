"""What docs/clustering.md says is so."""

from __future__ import annotations

import re
from inspect import signature
from pathlib import Path

import multicut as mc
from multicut.clustering.affinities import AFFINITIES
from multicut.clustering.estimator import PRECOMPUTED

PAGE = (Path(__file__).parents[2] / "docs" / "clustering.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_snippets_run_and_their_claims_hold():
    names: dict[str, object] = {}
    claims = 0
    for snippet in SNIPPETS:
        exec(snippet, names)
        for expression, value in re.findall(r"^(\S.*?)  # → (.*)$", snippet, re.MULTILINE):
            assert repr(eval(expression, names)) == value, expression
            claims += 1
    assert claims >= 4


def test_all_affinities_and_most_parameters_are_explained():
    for name in (*(record.name for record in AFFINITIES), *PRECOMPUTED):
        assert f'`"{name}"`' in PAGE
    for name in signature(mc.MulticutClustering).parameters:
        assert re.search(rf"\b{name}\b", PAGE) or name == "metric"
