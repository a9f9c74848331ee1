"""What one visitor may ask for."""

from __future__ import annotations

import math
from typing import Any

import pytest

from multicut.app import AppLimits


def test_seconds_are_brought_into_range() -> None:
    limits = AppLimits(time_limit=7.0)
    assert [limits.seconds(wanted) for wanted in (3, 7.5, math.inf, -2)] == [3, 7, 7, 0]
    for wanted in (None, "5", math.nan, True):
        with pytest.raises(ValueError, match="must be a number of seconds"):
            limits.seconds(wanted)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("max_pixels", 0, "max_pixels must be positive and finite, got 0"),
        ("max_pixels", 1.5, "max_pixels must be a whole number, got 1.5"),
        ("time_limit", math.inf, "time_limit must be positive and finite, got inf"),
        ("time_limit", "5", "time_limit must be a number, got '5'"),
        ("concurrency", True, "concurrency must be a whole number, got True"),
    ],
)
def test_bad_limits(field: str, value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        AppLimits(**{field: value})


def test_seconds_are_read_as_typed() -> None:
    limits = AppLimits(time_limit=7.0)
    assert [limits.parse_seconds(text) for text in (None, "", " ", "2.5", "99")] == [
        None,
        None,
        None,
        2.5,
        7.0,
    ]
    for text in ("soon", "nan"):
        with pytest.raises(ValueError, match=f"must be a number of seconds, got '{text}'"):
            limits.parse_seconds(text)


def test_readers_get_limits() -> None:
    limits = AppLimits(max_upload_mb=2, max_edges=50).of_problems
    assert (limits.max_bytes, limits.max_nodes, limits.max_edges) == (16_000_000, 50, 50)
