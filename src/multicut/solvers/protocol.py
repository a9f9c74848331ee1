"""What a solver is: a frozen record, its options, and the outcome of a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from multicut._core import Solution
    from multicut.problem import Problem
    from multicut.stop import Stop


@dataclass(frozen=True)
class Outcome:
    """What a solver hands to :func:`multicut.solve`."""

    solution: Solution
    details: Mapping[str, Any] = field(default_factory=dict)
    solver: str | None = None  # the one that did the work, where that is not the one asked for


@dataclass(frozen=True)
class NoOptions:
    """For solvers that have none."""


@dataclass(frozen=True)
class SolverRecord:
    """One registered solver.

    Attributes
    ----------
    name
        What :func:`multicut.solve` knows it by.
    description
        One line.
    run
        ``run(problem, options, stop, seed)`` solves a problem.
    options
        A frozen dataclass: its fields are the solver's options, with defaults; it validates them.
    uses_seed
        Whether the seed changes the result.
    """

    name: str
    description: str
    run: Callable[[Problem, Any, Stop, int], Outcome]
    options: type = NoOptions
    uses_seed: bool = False

    @property
    def option_defaults(self) -> dict[str, Any]:
        """Names of the options, with their defaults."""
        return {f.name: f.default for f in dataclasses.fields(self.options)}

    def parse_options(self, given: Mapping[str, Any]) -> Any:
        """Turn keyword arguments into the solver's options."""
        known = self.option_defaults
        for name in given:
            if name not in known:
                valid = f"its options are: {', '.join(known)}" if known else "it has no options"
                raise TypeError(f"solver {self.name!r} has no option {name!r}; {valid}")
        return self.options(**given)


def check_at_least(least: float, **values: object) -> None:
    """Raise a clear error unless the value is a number of the type of `least`, and at least that."""
    ((name, value),) = values.items()
    kinds: tuple[type, ...] = (int,) if isinstance(least, int) else (int, float)
    if not isinstance(value, kinds) or isinstance(value, bool):
        kind = "an integer" if isinstance(least, int) else "a number"
        raise TypeError(f"{name} must be {kind}, got {value!r}")
    if not value >= least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}")
