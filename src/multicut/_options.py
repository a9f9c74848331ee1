"""Options: fields of a frozen dataclass that say what they mean and may be.

Solvers, generators, superpixels and costs of edges declare theirs in this way. Declarations that
several of them share are functions here, so that none can lack a check.
"""

from __future__ import annotations

import dataclasses
import difflib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Self

from multicut._checks import PRECISIONS, Anything, Choice, Device, Flag, Integer, Number, Rule


def option(
    default: float | str | None,
    meaning: str,
    *,
    rule: Rule | None = None,
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
        What it is, in a few words; lists of options show it.
    rule
        What it may be; by default a flag, a choice, an integer or a number, after the type of
        `default`, within the limits that follow.
    least, most
        The range of a number, ends included.
    choices
        The values that a text may have.
    """
    if rule is None:
        rule = _rule_like(default, least, most, choices)
    return dataclasses.field(default=default, metadata={"meaning": meaning, "rule": rule})


def _rule_like(default: object, least: float, most: float, choices: tuple[str, ...]) -> Rule:
    if choices:
        return Choice(choices)
    if isinstance(default, bool):
        return Flag()
    if isinstance(default, int):
        return Integer(int(least), Integer.most if math.isinf(most) else int(most))
    if isinstance(default, float):
        return Number(least, most)
    raise TypeError(f"an option whose default is {default!r} needs a rule")


@dataclass(frozen=True)
class Options:
    """Options that are checked against their declarations, and then have plain types.

    What concerns several options at once is up to :meth:`check_together` of a subclass.
    """

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            or_none = field.default is None
            if value is None and or_none:
                continue
            checked = field.metadata["rule"].check(field.name, value, or_none=or_none)
            object.__setattr__(self, field.name, checked)
        self.check_together()

    def check_together(self) -> None:
        """Complain about options that do not go together."""

    @classmethod
    def option_defaults(cls) -> dict[str, Any]:
        """Names of the options, with their defaults."""
        return {field.name: field.default for field in dataclasses.fields(cls)}

    @classmethod
    @cache
    def _defaults(cls) -> Self:
        """Return the options without any given; they cannot change, so all may share them."""
        return cls()

    @classmethod
    def option_meanings(cls) -> dict[str, str]:
        """Names of the options, each with what it means."""
        return {field.name: field.metadata["meaning"] for field in dataclasses.fields(cls)}

    @classmethod
    def parse(cls, given: Mapping[str, Any], owner: str, others: Iterable[str] = ()) -> Self:
        """Make options of keyword arguments.

        Parameters
        ----------
        given
            Values by name.
        owner
            Whose options they are, for messages: ``"solver 'klj'"``.
        others
            What else may have been meant by an unknown name.
        """
        if not given:
            return cls._defaults()
        known = cls.option_defaults()
        for name in given:
            if name not in known:
                valid = f"its options are: {', '.join(known)}" if known else "it has no options"
                close = difflib.get_close_matches(name, (*known, *others), n=1)
                hint = f"did you mean {close[0]!r}? " if close else ""
                raise TypeError(f"{owner} has no option {name!r}; {hint}{valid}")
        return cls(**given)


class Configurable:
    """A record, such as that of a solver, whose attribute `options` is a class of options."""

    options: type[Options]

    @property
    def option_defaults(self) -> dict[str, Any]:
        """Names of the options, with their defaults."""
        return self.options.option_defaults()

    @property
    def option_meanings(self) -> dict[str, str]:
        """Names of the options, each with what it means."""
        return self.options.option_meanings()


def check_order(**bounds: int) -> None:
    """Complain if the first of two options is larger than the second."""
    (low_name, low), (high_name, high) = bounds.items()
    if low > high:
        raise ValueError(f"{low_name} must be at most {high_name}, got {low} and {high}")


def threads_option(
    meaning: str = "threads, by default as many as this process may use; no result depends on it",
) -> Any:
    """Declare how many threads to use."""
    return option(None, meaning, rule=Integer(1))


def initial_option(otherwise: str) -> Any:
    """Declare labels to start from, and where the solver starts without any."""
    return option(None, f"labels to start from; by default {otherwise}", rule=Anything())


def model_option(otherwise: str) -> Any:
    """Declare a model, and which one is used if none is given."""
    meaning = f"name or path of a model, or a loaded one; by default {otherwise}"
    return option(None, meaning, rule=Anything())


def device_option(meaning: str) -> Any:
    """Declare where a network computes."""
    return option(None, meaning, rule=Device())


def precision_option(default: str | None, meaning: str) -> Any:
    """Declare in which numbers a network computes."""
    return option(default, meaning, choices=PRECISIONS)
