from __future__ import annotations

import pytest

from multicut._words import block, count, image_size, plural


@pytest.mark.parametrize(
    ("number", "noun", "expected"),
    [
        (0, "node", "0 nodes"),
        (1, "node", "1 node"),
        (2, "node", "2 nodes"),
        (1_234, "edge", "1,234 edges"),
        (1, "entry", "1 entry"),
        (3, "entry", "3 entries"),
        (3, "self-loop", "3 self-loops"),
        (2, "cut edge", "2 cut edges"),
        (2, "process", "2 processes"),
        (2, "axis", "2 axes"),
    ],
)
def test_a_number_and_its_noun_agree(number, noun, expected):
    assert count(number, noun) == expected


def test_plurals():
    assert [plural(noun) for noun in ("day", "index", "branch", "box")] == [
        "days",
        "indices",
        "branches",
        "boxes",
    ]


def test_the_width_of_an_image_comes_first():
    assert image_size((400, 600)) == "600 × 400 pixels"
    assert image_size((30, 40, 50)) == "50 × 40 × 30 voxels"


def test_values_of_a_block_stand_below_each_other():
    assert block({"a": "1", "long name": "2"}) == "a          1\nlong name  2"
    assert block({}) == ""


def test_long_values_go_on_below_where_they_began():
    rows = {"name": "one two three four five", "x": ""}
    assert block(rows, width=20).splitlines() == [
        "name  one two three",
        "      four five",
        "x     ",
    ]
    # Where there is no room, lines are as long as they are.
    assert block(rows, width=9).splitlines()[0] == "name  one two three four five"
