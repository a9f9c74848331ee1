"""What docs/training.md says is so."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from multicut.training import TrainingConfig

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")


def table_of_settings() -> dict[str, str]:
    """Each setting of the table with its default."""
    found: dict[str, str] = {}
    section = PAGE.split("| setting | default | |")[1].split("\n\n")[0]
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split(" | ")]
        names = re.findall(r"`([^`]+)`", cells[0])
        defaults = [value.strip(" `") for value in cells[1].split(", ")] if len(cells) > 1 else []
        if len(defaults) == 1:
            defaults *= len(names)
        if names == ["[network]"]:
            defaults = ["a table of its own"]
        found.update(zip(names, defaults, strict=bool(names)))
    return found


def test_all_settings_are_listed_with_their_defaults():
    listed = table_of_settings()
    names = {field.name for field in fields(TrainingConfig)}
    assert {name.strip("[]") for name in listed} == names
    defaults = TrainingConfig()
    for name, text in listed.items():
        if name in ("[network]", "output"):
            continue
        value = getattr(defaults, name)
        shown = text.replace("\u202f", "").replace(" ", "").strip('"')
        expected = str(value).lower() if isinstance(value, bool) else str(value)
        assert shown == expected or float(shown) == value, name


@pytest.mark.parametrize("folder", re.findall(r"`(\w+)/`", PAGE.split("`configs/` holds")[1]))
def test_folders_of_configurations_exist(folder):
    if folder != "tensorboard":
        assert list((ROOT / "configs" / folder).glob("*.toml"))


def test_files_that_commands_name_exist():
    named = re.findall(r"multicut train (configs/\S+\.toml)", PAGE)
    assert len(named) == 3
    for pattern in named:
        assert list(ROOT.glob(pattern)), pattern
