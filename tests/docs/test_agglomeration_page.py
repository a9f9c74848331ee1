"""What docs/agglomeration.md says is so."""

from __future__ import annotations

import importlib.util
import re

import multicut as mc
from tests.docs.snippets import ROOT
from tests.solvers.agglomerations import LINKAGES

PAGE = (ROOT / "docs" / "agglomeration.md").read_text(encoding="utf-8")


def test_every_linkage_is_explained():
    rows = re.findall(r"^\| `([a-z-]+)`(?: \(default\))? \| ", PAGE, re.MULTILINE)
    assert sorted(rows) == sorted([*LINKAGES, "linkage"])


def test_the_scores_of_the_picture_are_those_of_the_table():
    path = ROOT / "tools" / "draw_agglomeration.py"
    spec = importlib.util.spec_from_file_location("draw_agglomeration", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    truth, affinities = tool.cells(seed=3)
    for name, labels in tool.segmentations(affinities).items():
        row = re.search(rf"^\| {name} \| (.*) \|$", PAGE, re.MULTILINE).group(1).split(" | ")
        scores = mc.vision.evaluate(labels, truth)
        found = [scores.vi_split, scores.vi_merge, scores.adapted_rand_error]
        assert abs(labels.max() + 1 - int(row[0])) <= 3
        for value, shown in zip(found, row[1:], strict=True):
            assert abs(value - float(shown)) < 0.02
