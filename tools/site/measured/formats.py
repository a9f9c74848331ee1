"""How measured numbers are read and written, for all pages.

Modules beside this one name files of results relative to `benchmarks/results`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
ROOT_OF_SCRIPTS = ROOT / "benchmarks"
RESULTS = ROOT_OF_SCRIPTS / "results"


def read(name: str) -> dict[str, Any]:
    """Return what a file of results holds."""
    found: dict[str, Any] = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    return found


def objective(value: float) -> str:
    """Write an objective, which is negative, with one digit after the point."""
    return f"\N{MINUS SIGN}{-value:,.1f}"


def whole(value: float) -> str:
    """Write an objective, which is negative, without digits after the point."""
    return f"\N{MINUS SIGN}{-value:,.0f}"


def signed(text: str) -> str:
    """Write a number that is formatted already with the minus sign of print."""
    return text.replace("-", "\N{MINUS SIGN}")


def time(seconds: float) -> str:
    """Write seconds, in milliseconds if it is less than one."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{digits(seconds * factor)} {unit}"
    return f"{digits(seconds * 1e3)} ms"


def digits(value: float) -> str:
    """Two significant digits, or all before the point."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"
