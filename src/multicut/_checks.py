"""Rules for the values of single arguments and options, each with one clear line for a breach.

A rule serves as declaration of an option (:mod:`multicut._options`) and, through the functions
``check_…`` below, as check of an argument of a plain function.
"""

from __future__ import annotations

import math
import numbers
import operator
import re
from dataclasses import dataclass
from typing import Any, Protocol, SupportsIndex

PRECISIONS = ("float32", "bfloat16")

_INTEGERS_END = 2**31
_DEVICE = re.compile(r"(cpu|cuda)(:\d+)?")


class Rule(Protocol):
    """What a value may be."""

    def check(self, name: str, value: Any, *, or_none: bool = False) -> Any:
        """Return the value in its plain type, or complain about the argument of this name.

        With `or_none` the message says that None is a value, too; None itself is not passed.
        """


@dataclass(frozen=True)
class Integer:
    """An integer from `least` to `most`; numpy's integers become Python's."""

    least: int = 0
    most: int = _INTEGERS_END - 1

    def check(self, name: str, value: Any, *, or_none: bool = False) -> int:
        """Return the integer."""
        # The protocol alone would be slow to check.
        if isinstance(value, bool) or not isinstance(value, int | SupportsIndex):
            raise TypeError(f"{name} must be an integer{_also(or_none)}, got {value!r}")
        number = operator.index(value)
        if not self.least <= number <= self.most:
            raise ValueError(f"{name} must be {self._range()}, got {number}")
        return number

    def _range(self) -> str:
        end = self.most + 1
        is_power = end >= _INTEGERS_END and end & self.most == 0
        if is_power:
            return f"at least {self.least} and below 2^{end.bit_length() - 1}"
        return f"between {self.least:,} and {self.most:,}"


@dataclass(frozen=True)
class Number:
    """A number from `least` to `most`; infinite ones only if not `is_finite`."""

    least: float = -math.inf
    most: float = math.inf
    is_finite: bool = True

    def check(self, name: str, value: Any, *, or_none: bool = False) -> float:
        """Return the number as a float."""
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            raise TypeError(f"{name} must be a number{_also(or_none)}, got {value!r}")
        number = float(value)
        if not self.least <= number <= self.most or (self.is_finite and math.isinf(number)):
            raise ValueError(f"{name} must be {self._range()}, got {number:.10g}")
        return number

    def _range(self) -> str:
        if not math.isinf(self.most):
            return f"between {self.least:,.10g} and {self.most:,.10g}"
        finite = ["finite"] if self.is_finite else []
        least = [] if math.isinf(self.least) else [f"at least {self.least:g}"]
        return " and ".join(finite + least) or "a number"


@dataclass(frozen=True)
class Flag:
    """True or False."""

    def check(self, name: str, value: Any, *, or_none: bool = False) -> bool:
        """Return the flag."""
        if not isinstance(value, bool):
            allowed = "True, False or None" if or_none else "True or False"
            raise TypeError(f"{name} must be {allowed}, got {value!r}")
        return value


@dataclass(frozen=True)
class Choice:
    """One of a few texts."""

    choices: tuple[str, ...]

    def check(self, name: str, value: Any, *, or_none: bool = False) -> str:
        """Return the text."""
        if not isinstance(value, str) or value not in self.choices:
            known = f"one of {', '.join(self.choices)}{_also(or_none)}"
            raise ValueError(f"{name} must be {known}, got {value!r}")
        return value


@dataclass(frozen=True)
class Device:
    """Where a network computes: as far as can be told without torch."""

    def check(self, name: str, value: Any, *, or_none: bool = False) -> str:  # noqa: ARG002
        """Return the name of the device; devices of torch have one, too."""
        text = str(value)
        if not _DEVICE.fullmatch(text):
            raise ValueError(f"{name} must be 'cpu' or 'cuda', got {value!r}")
        return text


@dataclass(frozen=True)
class Anything:
    """A value that is checked where it is used, such as labels, which depend on the problem."""

    def check(self, name: str, value: Any, *, or_none: bool = False) -> Any:  # noqa: ARG002
        """Return the value."""
        return value


def _also(or_none: bool) -> str:
    return " or None" if or_none else ""


def check_integer(least: int, **named: object) -> int:
    """Check an argument, passed by its name, that is an integer of at least `least`."""
    ((name, value),) = named.items()
    return Integer(least).check(name, value)


def check_number(least: float, **named: object) -> float:
    """Check an argument, passed by its name, that is a number of at least `least`, or infinite."""
    ((name, value),) = named.items()
    return Number(least, is_finite=False).check(name, value)


def check_seed(seed: object) -> int:
    """Check the seed of random numbers."""
    return Integer(0, 2**64 - 1).check("seed", seed)


def check_precision(precision: object) -> None:
    """Check in which numbers a network is to compute."""
    Choice(PRECISIONS).check("precision", precision)
