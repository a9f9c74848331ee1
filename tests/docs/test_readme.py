"""README.md is short, its links lead somewhere, and its numbers are those that were measured."""

from __future__ import annotations

import re

from tests.docs.snippets import ROOT, programs_of
from tests.docs.tools import load_tool

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_begins_with_a_short_example():
    (program, *_) = programs_of("README.md")
    assert program.blocks[0].text.count("# →") >= 3
    assert len(program.blocks[0].text.splitlines()) <= 12


def test_links_lead_somewhere():
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert len(targets) >= 15
    for target in targets:
        assert (ROOT / target).exists(), target


def test_the_comparison_is_that_of_the_benchmarks():
    for row in load_tool("tables").peer_rows():
        assert row in README, f"run python tools/site/tables.py and take over {row}"
