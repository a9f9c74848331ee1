"""Tables of docs/lifted.md, from `lifted.json` and `lifted_memory.json`."""

from __future__ import annotations

import math
import re
import statistics
from typing import Any

from measured.formats import read, time


def lifted_speed_rows() -> list[str]:
    """Return, for each contest and size, the range of speed-ups, and our median time."""
    rows = [row for row in read("lifted.json")["rows"] if row["speedup"]]
    lines = []
    for solver in dict.fromkeys(row["solver"] for row in rows):
        own = [row for row in rows if row["solver"] == solver]
        cells = [_speed(own, size) for size in ("10,000", "100,000", "1,000,000")]
        fast = sum(row["speedup"] >= _TARGET for row in own)
        name = _NAMES_OF_CONTESTS.get(solver, f"`{solver}`")
        lines.append(f"| {name} | {' | '.join(cells)} | {fast} of {len(own)} |")
    return lines


# How many times as fast as the peer lifted solvers are to be.
_TARGET = 3
_NAMES_OF_CONTESTS = {"fusion 10 proposals": "`fusion` with `max_proposals=10`"}


def _speed(rows: list[dict[str, Any]], size: str) -> str:
    found = [row for row in rows if _SIZE.search(row["instances"])[0] == size]
    if not found:
        return "\N{EN DASH}"
    ups = sorted(row["speedup"] for row in found)
    seconds = statistics.median(
        row["ours"]["build_seconds"] + row["ours"]["solve_seconds"] for row in found
    )
    return f"{ups[0]:.1f}\N{EN DASH}{ups[-1]:.1f}, {time(seconds)}"


_SIZE = re.compile(r"\d+(?:,\d{3})+")


def lifted_memory_rows() -> list[str]:
    """Return what solvers need for the largest lifted problem."""
    return [
        f"| `{row['solver']}` | {row['peak_bytes'] / 2**30:.2f} | {row['seconds']:.0f} |"
        for row in read("lifted_memory.json")["rows"]
    ]


def lifted_numbers() -> dict[str, str]:
    """Return how many rows reach the target, and the memory of the largest problem."""
    rows = [row for row in read("lifted.json")["rows"] if row["speedup"]]
    (problem,) = {row["bytes_before"] for row in read("lifted_memory.json")["rows"][:1]}
    return {
        "rows at the target": str(sum(row["speedup"] >= _TARGET for row in rows)),
        "lifted rows": str(len(rows)),
        "slowest lifted row": f"{math.floor(10 * min(row['speedup'] for row in rows)) / 10:.1f}",
        "GiB of the lifted problem": f"{problem / 2**30:.1f}",
    }
