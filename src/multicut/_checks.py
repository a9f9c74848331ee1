"""Checks of single arguments, each with one clear line for what is wrong."""

from __future__ import annotations

import numbers
import operator
from typing import SupportsIndex

PRECISIONS = ("float32", "bfloat16")


def check_integer(least: int, **named: object) -> int:
    """Check an option, passed by its name, that is an integer of at least `least`."""
    ((name, value),) = named.items()
    # The protocol alone would be slow to check.
    if isinstance(value, bool) or not isinstance(value, int | SupportsIndex):
        raise TypeError(f"{name} must be an integer, got {value!r}")
    number = operator.index(value)
    if not least <= number < 2**31:
        raise ValueError(f"{name} must be at least {least} and below 2^31, got {number}")
    return number


def check_number(least: float, **named: object) -> float:
    """Check an option, passed by its name, that is a number of at least `least`."""
    ((name, value),) = named.items()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if not number >= least:
        raise ValueError(f"{name} must be at least {least:g}, got {number:g}")
    return number


def check_device(device: object) -> None:
    """Check where a network is to compute, as far as that is possible without torch."""
    if device is not None and str(device).partition(":")[0] not in ("cpu", "cuda"):
        raise ValueError(f"device must be 'cpu' or 'cuda', got {device!r}")


def check_precision(precision: object) -> None:
    """Check in which numbers a network is to compute."""
    if precision not in PRECISIONS:
        raise ValueError(f"precision must be {' or '.join(PRECISIONS)}, got {precision!r}")
