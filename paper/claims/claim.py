"""A claim of the paper, and what the page has found of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from paper.claims.tables import Tables


class Verdict(Enum):
    """Whether a claim holds here."""

    HOLDS = "holds"
    IN_PART = "in part"
    FAILS = "does not hold"
    UNKNOWN = "cannot be judged"


@dataclass(frozen=True)
class Finding:
    """What is measured here, in words, the verdict, and where or in what sense it holds."""

    measured: str
    verdict: Verdict
    where: str = ""


@dataclass(frozen=True)
class Claim:
    """What the paper says in our words, where it says so, and what looks it up in the tables."""

    says: str
    place: str
    find: Callable[[Tables], Finding]


def on_devices(on_gpu: bool, on_processor: bool) -> tuple[Verdict, str]:
    """Return the verdict on a claim about times."""
    if on_gpu and on_processor:
        return Verdict.HOLDS, ""
    if on_gpu or on_processor:
        return Verdict.IN_PART, "on a GPU" if on_gpu else "on a processor"
    return Verdict.FAILS, ""


def factor(value: float) -> str:
    """Format how many times as long something takes, with two digits."""
    return f"{value:.1f}" if value < 10 else f"{float(f'{value:.2g}'):,.0f}"


def between(low: str, high: str) -> str:
    """Return a range of two texts."""
    return low if low == high else f"{low} to {high}"
