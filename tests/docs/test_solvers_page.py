"""The numbers of docs/solvers.md are those that were measured."""

from __future__ import annotations

import re

import multicut as mc
from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool

PAGE = (ROOT / "docs" / "solvers.md").read_text(encoding="utf-8")
tables = load_tool("tables")


def test_tables_are_those_of_the_benchmarks():
    rows = tables.quality_rows() + tables.size_rows()
    assert len(rows) == 10
    for row in rows:
        assert row in PAGE, f"run python tools/site/tables.py and take over {row}"


def test_every_solver_is_named():
    section = PAGE.split("## What was measured")[0]
    named = set(re.findall(r"`([a-z-]+)`", section))
    assert {record.name for record in mc.list_solvers()} <= named
