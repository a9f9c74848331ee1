"""What docs/datasets.md shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from multicut.datasets import list_generators
from multicut.datasets.container import _TYPES

PAGE = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(snippet, {})


def test_generators_are_those_of_the_registry():
    for record in list_generators():
        options = ", ".join(f"`{name}={value}`" for name, value in record.option_defaults.items())
        assert f"| `{record.name}` | {record.description} | {options} |" in PAGE


def test_every_array_of_the_container_is_specified():
    assert all(f"`{name}.npy`" in PAGE for name in _TYPES)
