"""What docs/networks.md says is so."""

from __future__ import annotations

import re
from pathlib import Path

from multicut.nn import list_architectures

PAGE = (Path(__file__).parents[2] / "docs" / "networks.md").read_text(encoding="utf-8")


def test_the_table_lists_all_architectures_as_they_are():
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|.*\| (\S+) \|$", PAGE, re.MULTILINE)
    expected = [
        (
            record.name,
            record.description,
            "\N{EN DASH}"
            if record.convolution is None
            else "yes"
            if record.has_fused_path
            else "no",
        )
        for record in list_architectures()
    ]
    assert rows == expected
