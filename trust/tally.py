"""What a run of :mod:`trust.differential` has checked so far; survives a kill, and adds up."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Tally:
    """Counts of what was checked.

    Attributes
    ----------
    counts
        How many problems, of them for each solver and each kind of check.
    seconds
        Time of all processes.
    faults
        What was wrong, with the seed that repeats it.
    seeds
        Disjoint ascending ranges ``(first, stop)`` of the problems.
    """

    counts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)
    seeds: list[tuple[int, int]] = field(default_factory=list)

    @classmethod
    def read(cls, path: Path) -> Tally:
        """Read a file; an empty tally if there is none."""
        if not path.is_file():
            return cls()
        values = json.loads(path.read_text(encoding="utf-8"))
        seeds = [(first, stop) for first, stop in values["seeds"]]
        return cls(Counter(values["counts"]), values["seconds"], values["faults"], seeds)

    def write(self, path: Path) -> None:
        """Write a file, at once: who is killed meanwhile leaves the old one."""
        document = {
            "counts": dict(sorted(self.counts.items())),
            "seconds": round(self.seconds, 1),
            "faults": self.faults,
            "seeds": self.seeds,
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(f".{os.getpid()}.new")
        new.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
        new.replace(path)

    def __add__(self, other: Tally) -> Tally:
        """Return both together; a seed that both hold is an error."""
        seeds = _joined([*self.seeds, *other.seeds])
        return Tally(
            self.counts + other.counts,
            self.seconds + other.seconds,
            self.faults + other.faults,
            seeds,
        )

    def missing(self, start: int, stop: int) -> list[range]:
        """Return the ranges between two seeds that were not checked."""
        ranges = []
        for first, end in [*self.seeds, (stop, stop)]:
            if start < min(first, stop):
                ranges.append(range(start, min(first, stop)))
            start = max(start, end)
        return ranges


def _joined(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return these ranges in ascending order, neighbours joined."""
    joined: list[tuple[int, int]] = []
    for first, stop in sorted(ranges):
        if first == stop:
            continue
        if joined and first < joined[-1][1]:
            raise ValueError(f"seed {first:,} would count twice")
        if joined and first == joined[-1][1]:
            first = joined.pop()[0]
        joined.append((first, stop))
    return joined
