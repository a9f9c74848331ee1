"""The page on file formats says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import multicut as mc
from multicut.io import get_format, list_formats
from multicut.io.registry import recognise
from multicut.io.source import Source

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text()
EXAMPLES = re.findall(r"^## (\w+)\n\n```text\n(.*?)```", PAGE, re.MULTILINE | re.DOTALL)


def test_table_lists_the_registry() -> None:
    rows = re.findall(r"^\| \[`(\w+)`\]\(#\w+\) \| ([^|]*) \|", PAGE, re.MULTILINE)
    assert {name: tuple(re.findall(r"`(\S+)`", suffixes)) for name, suffixes in rows} == {
        record.name: record.suffixes for record in list_formats()
    }
    assert all(f"\n## {record.name}\n" in PAGE for record in list_formats())


@pytest.mark.parametrize(("name", "text"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_example(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / "example"
    path.write_text(text)
    assert recognise(Source(path)) is get_format(name)
    problem = mc.read(path)
    written = tmp_path / f"written{get_format(name).suffixes[0]}"
    mc.write(problem, written)
    assert written.read_text() == text
