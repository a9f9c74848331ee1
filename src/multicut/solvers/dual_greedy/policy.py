"""Policies: the constants of a contraction, each set of them in a file with where it comes from."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from multicut._options import Options, option
from multicut._target import write_whole
from multicut.io.errors import shortened

_SHIPPED = Path(__file__).parent / "policies"
_SMALLEST_SHARE = 1e-4


@dataclass(frozen=True)
class Policy(Options):
    """The constants of ``dual-greedy``: when cycles are packed anew, and what is made of that."""

    share: float = option(
        0.227,
        "of the nodes, how many are joined before cycles are packed anew; fewer give better "
        "partitions, and take longer",
        least=_SMALLEST_SHARE,
        most=1.0,
    )
    cost_weight: float = option(
        0.108, "how much a cost counts beside what the packing leaves of it", least=0.0
    )
    triangle_sweeps: int = option(2, "how often all triangles take their share", least=0)
    square_sweeps: int = option(2, "how often all cycles of four edges do", least=0)

    def to_dict(self) -> dict[str, float | int]:
        """Return the constants by name."""
        return dataclasses.asdict(self)

    def save(self, path: str | os.PathLike[str], card: Mapping[str, Any] | None = None) -> None:
        """Write a file that :func:`load_policy` reads.

        Parameters
        ----------
        path
            Where to write it.
        card
            What else there is to say: where the constants come from, and what they reach.
        """
        content = {"constants": self.to_dict(), **(card or {})}
        write_whole(Path(path), json.dumps(content, indent=2) + "\n")


def list_policies() -> list[str]:
    """Return the names of the policies that come with the package."""
    return list(_names())


def load_policy(name_or_path: str | os.PathLike[str]) -> Policy:
    """Read a policy that comes with the package, or one from a file of `multicut train policy`."""
    if not isinstance(name_or_path, str | os.PathLike):
        raise TypeError(
            f"policy must be a name, a path or a Policy, got {type(name_or_path).__name__}"
        )
    given = os.fspath(name_or_path)
    return _shipped(given) if given in _names() else _read(Path(given))


@cache
def _names() -> tuple[str, ...]:
    return tuple(sorted(path.stem for path in _SHIPPED.glob("*.json")))


@cache
def _shipped(name: str) -> Policy:
    return _read(_SHIPPED / f"{name}.json")


def _read(path: Path) -> Policy:
    if not path.is_file():
        known = ", ".join(list_policies())
        raise ValueError(f"policy must be one of {known} or a file, got {os.fspath(path)!r}")
    try:
        constants = json.loads(path.read_text(encoding="utf-8"))["constants"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ValueError(
            f"{path} is not a policy: it must be a JSON object with the key 'constants'"
        ) from None
    if not isinstance(constants, dict):
        raise ValueError(f"{path} is not a policy: its 'constants' must be an object")
    try:
        return Policy.parse(constants, f"policy {path}")
    except TypeError as error:
        raise ValueError(shortened(str(error))) from None
