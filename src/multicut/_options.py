"""Options: fields of a frozen dataclass that say what they mean and may be."""

from __future__ import annotations

import dataclasses
import math
import numbers
import operator
from dataclasses import dataclass
from typing import Any, SupportsIndex


def option(
    default: float | str | None,
    meaning: str,
    *,
    kind: type | None = None,
    least: float = -math.inf,
    most: float = math.inf,
    choices: tuple[str, ...] = (),
) -> Any:
    """Declare an option.

    Parameters
    ----------
    default
        Its value if none is given; None stands for "no value" and then is allowed.
    meaning
        What it is, in a few words.
    kind
        ``int``, ``float``, ``bool`` or ``str``; by default the type of `default`.
    least, most
        The range of a number, ends included.
    choices
        The values that a text may have.
    """
    metadata = {
        "meaning": meaning,
        "kind": kind or type(default),
        "least": least,
        "most": most,
        "choices": choices,
    }
    return dataclasses.field(default=default, metadata=metadata)


@dataclass(frozen=True)
class Options:
    """Options that are checked against their declarations.

    What concerns several options at once is up to :meth:`check_together` of a subclass.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if value is None and field.default is None:
                continue
            object.__setattr__(self, field.name, _checked(field.name, value, field.metadata))
        self.check_together()

    def check_together(self) -> None:
        """Complain about options that do not go together."""


def check_order(**bounds: int) -> None:
    """Complain if the first of two options is larger than the second."""
    (low_name, low), (high_name, high) = bounds.items()
    if low > high:
        raise ValueError(f"{low_name} must be at most {high_name}, got {low} and {high}")


def _checked(name: str, value: Any, rules: Any) -> Any:
    if rules["kind"] is bool:
        if not isinstance(value, bool):
            raise TypeError(f"{name} must be True or False, got {value!r}")
        return value
    if rules["kind"] is str:
        if value not in rules["choices"]:
            known = ", ".join(rules["choices"])
            raise ValueError(f"{name} must be one of {known}, got {value!r}")
        return value
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if rules["kind"] is int:
        if not is_number or not isinstance(value, SupportsIndex):
            raise TypeError(f"{name} must be an integer, got {value!r}")
        number: float = operator.index(value)
    else:
        if not is_number:
            raise TypeError(f"{name} must be a number, got {value!r}")
        number = float(value)
    least, most = rules["least"], rules["most"]
    if not least <= number <= most or math.isinf(number):
        if math.isinf(most):
            raise ValueError(f"{name} must be finite and at least {least:g}, got {value}")
        raise ValueError(f"{name} must be between {least:,.10g} and {most:,.10g}, got {value}")
    return number
