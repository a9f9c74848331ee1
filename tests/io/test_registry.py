"""The registry of formats."""

from __future__ import annotations

import dataclasses

import pytest

from multicut.io import get_format, list_formats


def test_names() -> None:
    names = {record.name for record in list_formats()}
    assert names == {"lpmp", "edges", "npz", "opengm", "andres", "cplib", "pace"}
    assert [record.name for record in list_formats("*p")] == ["lpmp"]
    assert all(get_format(name).name == name for name in names)


def test_every_ending_belongs_to_one_format() -> None:
    suffixes = [suffix for record in list_formats() for suffix in record.suffixes]
    assert len(suffixes) == len(set(suffixes))
    assert all(suffix.startswith(".") for suffix in suffixes)


def test_records_are_frozen() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        get_format("lpmp").name = "other"  # type: ignore[misc]


def test_only_close_names_are_suggested() -> None:
    with pytest.raises(ValueError, match="did you mean 'edges'"):
        get_format("edge")
    with pytest.raises(ValueError, match=r"^unknown format 'pickle'; choose from: npz"):
        get_format("pickle")
