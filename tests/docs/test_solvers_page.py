"""What docs/solvers.md says is so."""

from __future__ import annotations

import json
import re

import multicut as mc
from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool

PAGE = (ROOT / "docs" / "solvers.md").read_text(encoding="utf-8")
tables = load_tool("tables")


def test_every_solver_is_named():
    section = PAGE.split("## Measurements")[0]
    named = set(re.findall(r"`([a-z-]+)`", section))
    assert {record.name for record in mc.list_solvers()} <= named


def test_klj_takes_three_to_seven_times_as_long_as_gaec():
    rows = json.loads((tables.RESULTS / "solvers.json").read_text(encoding="utf-8"))["rows"]
    seconds = {
        (row["instances"], row["solver"]): row["ours"]["build_seconds"]
        + row["ours"]["solve_seconds"]
        for row in rows
    }
    several = [
        seconds[name, "klj"] / seconds[name, "gaec"]
        for name, solver in seconds
        if solver == "klj" and (name, "gaec") in seconds
    ]
    assert len(several) > 5
    assert "for three to seven times the time" in PAGE
    assert min(several) > 2.5
    assert max(several) < 7.5
