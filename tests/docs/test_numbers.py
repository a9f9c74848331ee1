"""A measured number stands on one page; others link to it."""

from __future__ import annotations

import re
from collections import defaultdict

from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool

tables = load_tool("tables")

# Written by the benchmarks, with every number that they measured.
GENERATED = {"docs/results.md"}
PAGES = [
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if path.relative_to(ROOT).as_posix() not in GENERATED
]

# Objectives of large graphs, and ratios with four digits: nobody writes these by chance.
_OBJECTIVE = r"\N{MINUS SIGN}(?:\d{2,3}|\d,\d{3})(?:,\d{3})+(?:\.\d+)?"
MEASURED = re.compile(_OBJECTIVE + r"|(?<![\d.])0\.\d{4}(?!\d)")


def running_text(page: str) -> str:
    """Return a page without code and tables."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    return "\n".join(line for line in text.splitlines() if not line.startswith("|"))


def test_no_number_is_repeated_by_hand():
    pages_of: dict[str, set[str]] = defaultdict(set)
    for page in PAGES:
        for number in MEASURED.findall(running_text(page)):
            pages_of[number].add(page)
    repeated = {number: sorted(pages) for number, pages in pages_of.items() if len(pages) > 1}
    assert repeated == {}, "keep a number on one page and link to it"


def test_no_number_of_a_generated_table_is_written_by_hand():
    generated = {
        number: page
        for page, rows_of in tables.TABLES.items()
        for rows in rows_of.values()
        for row in rows()
        for number in MEASURED.findall(row)
        if number.startswith("\N{MINUS SIGN}")
    }
    assert len(generated) > 10
    for page in PAGES:
        for number in MEASURED.findall(running_text(page)):
            assert number not in generated, f"{page} repeats {number} of {generated[number]}"


def test_what_is_repeated_is_found():
    assert MEASURED.findall("reaches \N{MINUS SIGN}3,223,725 and 0.9998 in 0.09 s") == [
        "\N{MINUS SIGN}3,223,725",
        "0.9998",
    ]
