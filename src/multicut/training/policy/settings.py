"""What a search for constants is asked for, and what it returns."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut._checks import Number, check_integer, check_seed
from multicut.datasets import list_generators
from multicut.solvers import get_solver
from multicut.solvers.dual_greedy import Policy, load_policy

# One large graph per call; the others have many small ones.
_NOT_SMALL = ("scaling",)


def default_families() -> tuple[str, ...]:
    """Return the generators of small graphs, which a search uses by default."""
    return tuple(
        record.name for record in list_generators(lifted=False) if record.name not in _NOT_SMALL
    )


@dataclass(frozen=True)
class PolicySettings:
    """Settings of a search for the constants of ``dual-greedy``.

    Attributes
    ----------
    budget
        How long the contraction may take on average, in multiples of the time of ``gaec``. It is
        compared with an estimate that depends on nothing but the constants and the numbers of nodes
        and clusters, so that no clock changes what is found.
    families
        The graphs to search on: names of generators, or paths of datasets or files. By default all
        generators of small graphs.
    left_out
        Families of this kind that the search does not see; constants are validated on them, too.
    num_graphs, num_validation
        Graphs of each family to search on, and others to validate on. Of a dataset, the graphs at
        even positions are for the search and those at odd ones for the validation.
    generations, population
        How often CMA-ES updates its distribution, and how many constants it draws each time.
    start
        The constants that the search starts from: a policy, its name or its path.
    label
        The solver of the best known partitions, for graphs that have none yet.
    seed
        Seeds the graphs and the search. Same seed, same constants.
    """

    budget: float = 4.0
    families: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    num_graphs: int = 200
    num_validation: int = 200
    generations: int = 25
    population: int = 12
    start: Policy | str | os.PathLike[str] = "balanced"
    label: str = "fusion"
    seed: int = 0

    def __post_init__(self) -> None:
        take = object.__setattr__
        left_out = _check_names("left_out", self.left_out)
        families = _check_names("families", self.families) or tuple(
            name for name in default_families() if name not in left_out
        )
        for name in left_out:
            if name in families:
                raise ValueError(f"{name!r} is among the families and left out; name it once")
        if not families:
            raise ValueError("all families are left out; name one to search on")
        take(self, "families", families)
        take(self, "left_out", left_out)
        take(self, "budget", Number(0.0).check("budget", self.budget))
        for name, least in {
            "num_graphs": 1,
            "num_validation": 1,
            "generations": 1,
            # CMA-ES learns from the better half of a generation.
            "population": 4,
        }.items():
            take(self, name, check_integer(least, **{name: getattr(self, name)}))
        if not isinstance(self.start, Policy):
            take(self, "start", load_policy(self.start))
        get_solver(self.label)
        take(self, "seed", check_seed(self.seed))


@dataclass(frozen=True)
class SearchedPolicy:
    """Constants that a search has found.

    Attributes
    ----------
    policy
        The constants.
    card
        How they were found and what they reach on the validation graphs of each family, as plain
        values.
    """

    policy: Policy
    card: dict[str, Any]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write constants and card to a file that the option `policy` of ``dual-greedy`` reads."""
        self.policy.save(Path(path), self.card)


def _check_names(argument: str, names: object) -> tuple[str, ...]:
    if isinstance(names, str) or not hasattr(names, "__iter__"):
        raise TypeError(f"{argument} must be several names, got {names!r}; put it into a list")
    found = tuple(os.fspath(name) for name in names)
    for name in found:
        if found.count(name) > 1:
            raise ValueError(f"{argument} names {name!r} twice")
    return found
