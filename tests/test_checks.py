"""Rules for values: what they accept, what they return, and what they say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from multicut._checks import (
    Anything,
    Choice,
    Device,
    Flag,
    Integer,
    Number,
    check_integer,
    check_number,
    check_seed,
)


@pytest.mark.parametrize(
    ("rule", "value", "expected"),
    [
        (Integer(1), 1, 1),
        (Integer(0), np.int32(7), 7),
        (Integer(2, 5), 5, 5),
        (Number(0), 3, 3.0),
        (Number(0), np.float32(0.5), 0.5),
        (Number(0, is_finite=False), math.inf, math.inf),
        (Flag(), False, False),
        (Choice(("a", "b")), "b", "b"),
        (Device(), "cpu", "cpu"),
        (Device(), "cuda:1", "cuda:1"),
        (Anything(), [3], [3]),
    ],
)
def test_values_come_back_in_plain_types(rule, value, expected):
    found = rule.check("x", value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("rule", "value", "error", "message"),
    [
        (Integer(1), 0, ValueError, "x must be at least 1 and below 2^31, got 0"),
        (Integer(1), 2**31, ValueError, "x must be at least 1 and below 2^31, got 2147483648"),
        (Integer(2, 5000), 1, ValueError, "x must be between 2 and 5,000, got 1"),
        (Integer(1), 1.0, TypeError, "x must be an integer, got 1.0"),
        (Integer(1), True, TypeError, "x must be an integer, got True"),
        (Number(0), -1, ValueError, "x must be finite and at least 0, got -1"),
        (Number(0), math.inf, ValueError, "x must be finite and at least 0, got inf"),
        (Number(0), math.nan, ValueError, "x must be finite and at least 0, got nan"),
        (Number(), math.inf, ValueError, "x must be finite, got inf"),
        (Number(0, 1), 2, ValueError, "x must be between 0 and 1, got 2"),
        (Number(0, is_finite=False), -2, ValueError, "x must be at least 0, got -2"),
        (Number(0), "1", TypeError, "x must be a number, got '1'"),
        (Flag(), 1, TypeError, "x must be True or False, got 1"),
        (Choice(("a", "b")), "c", ValueError, "x must be one of a, b, got 'c'"),
        (Choice(("a", "b")), ["a"], ValueError, "x must be one of a, b, got ['a']"),
        (Device(), "gpu", ValueError, "x must be 'cpu' or 'cuda', got 'gpu'"),
        (Device(), "cuda:", ValueError, "x must be 'cpu' or 'cuda', got 'cuda:'"),
        (Device(), 0, ValueError, "x must be 'cpu' or 'cuda', got 0"),
    ],
)
def test_a_breach_gives_one_line_with_name_value_and_range(rule, value, error, message):
    with pytest.raises(error) as caught:
        rule.check("x", value)
    assert str(caught.value) == message


def test_where_none_is_a_value_the_message_says_so():
    with pytest.raises(TypeError, match="x must be True, False or None, got 1"):
        Flag().check("x", 1, or_none=True)
    with pytest.raises(TypeError, match="x must be an integer or None, got 'a'"):
        Integer(1).check("x", "a", or_none=True)
    with pytest.raises(ValueError, match="x must be one of a, b or None, got 'c'"):
        Choice(("a", "b")).check("x", "c", or_none=True)


def test_arguments_of_functions_are_checked_by_the_same_rules():
    assert check_integer(1, count=np.int64(3)) == 3
    with pytest.raises(ValueError, match=r"count must be at least 1 and below 2\^31, got 0"):
        check_integer(1, count=0)
    assert check_number(0, seconds=math.inf) == math.inf
    with pytest.raises(ValueError, match="seconds must be at least 0, got -1"):
        check_number(0, seconds=-1)
    assert check_seed(2**64 - 1) == 2**64 - 1
    with pytest.raises(ValueError, match=r"seed must be at least 0 and below 2\^64, got -1"):
        check_seed(-1)
