from __future__ import annotations

import dataclasses

import pytest

import multicut as mc
from multicut.solvers import get_solver


def test_names_are_those_of_the_design():
    names = [record.name for record in mc.list_solvers()]
    assert names == [
        "auto",
        "gaec",
        "dual-greedy",
        "greedy-fixation",
        "gasp",
        "mutex-watershed",
        "klj",
        "fusion",
        "memetic",
        "lp",
        "ilp",
        "gnn",
        "learned",
    ]


def test_patterns_select():
    assert [record.name for record in mc.list_solvers("g*")] == [
        "gaec",
        "greedy-fixation",
        "gasp",
        "gnn",
    ]


@pytest.mark.parametrize("record", mc.list_solvers(), ids=lambda record: record.name)
def test_records_are_frozen_and_complete(record):
    assert record.description
    assert "\n" not in record.description
    assert get_solver(record.name) is record
    assert record.parse_options({}) == record.options()
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "other"
