"""The numbers of tables in README.md and docs/ are those that were measured."""

from __future__ import annotations

import re

import pytest

import multicut as mc
from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool

PAGE = (ROOT / "docs" / "solvers.md").read_text(encoding="utf-8")
tables = load_tool("tables")


@pytest.mark.parametrize("page", tables.TABLES)
def test_tables_are_those_of_the_benchmarks(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text == tables.with_tables(page), "run python tools/site/tables.py"


def test_an_outdated_table_is_seen(tmp_path, monkeypatch):
    for page in tables.TABLES:
        (tmp_path / page).parent.mkdir(exist_ok=True)
        text = (ROOT / page).read_text(encoding="utf-8")
        # Times come out ten times as long, ratios too low.
        outdated = text.replace(" ms", "9 ms").replace("| 0.9", "| 0.8")
        (tmp_path / page).write_text(outdated, encoding="utf-8")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    for page in tables.TABLES:
        assert (tmp_path / page).read_text(encoding="utf-8") != tables.with_tables(page)


def test_every_solver_is_named():
    section = PAGE.split("## Measurements")[0]
    named = set(re.findall(r"`([a-z-]+)`", section))
    assert {record.name for record in mc.list_solvers()} <= named
