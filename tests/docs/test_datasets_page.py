"""What docs/datasets.md shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

from multicut.cli.dataset_table import ROWS, format_cell
from multicut.datasets import PUBLISHED, IrisMP, RandomMP, describe_dataset, list_generators
from multicut.datasets.container import _TYPES

PAGE = (Path(__file__).parents[2] / "docs" / "datasets.md").read_text(encoding="utf-8")


def test_generators_are_those_of_the_registry():
    for record in list_generators():
        options = ", ".join(f"`{name}={value}`" for name, value in record.option_defaults.items())
        assert f"| `{record.name}` | {record.description} | {options} |" in PAGE


def test_every_array_of_the_container_is_specified():
    assert all(f"`{name}.npy`" in PAGE for name in _TYPES)


def test_the_table_is_that_of_the_shipped_sets():
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", PAGE, re.M)
    cells = {row[0]: row[1:] for row in rows}
    columns = []
    for kind in (IrisMP, RandomMP):
        columns += [describe_dataset(kind("train")), PUBLISHED[kind.generator]["train"]]
    for label, field, digits in ROWS:
        assert cells[label] == tuple(format_cell(getattr(c, field), digits) for c in columns), label
