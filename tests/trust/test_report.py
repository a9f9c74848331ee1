"""The page about the campaign is generated from its results."""

from __future__ import annotations

from pathlib import Path

from trust import report

ROOT = Path(__file__).parents[2]


def test_the_page_states_what_was_recorded() -> None:
    assert report.PAGE.read_text(encoding="utf-8") == report.page(), "run make report"


def test_findings_have_tests() -> None:
    for finding in report._read("findings"):
        place = ROOT / finding["test"]
        assert place.is_file() or any(place.glob("found-*")), finding
