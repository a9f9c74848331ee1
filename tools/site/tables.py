"""Tables of measured numbers, from the files that the benchmarks wrote.

``python tools/site/tables.py`` brings the pages up to date; a test compares them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"

_SETS = ("RandomMP", "IrisMP", "BSDS300 (stand-in)", "CREMI (stand-in)")
# What a solver is called in that file, and here.
_SOLVERS = {
    "gaec,": "gaec",
    "klj,": "klj",
    "fusion,": "fusion",
    "lp,": "lp",
    "ilp,": "ilp",
    "gcn_w_bn-randommp ": "gnn",
}
_SIZES = ("RandomMP 1,000", "RandomMP 10,000", "RandomMP 100,000", "RandomMP 1,000,000")


def quality_rows() -> list[str]:
    """Return, for each solver, mean ratio to the optimum and time per graph on four sets."""
    measured = json.loads((RESULTS / "paper" / "table1.json").read_text(encoding="utf-8"))
    return [
        f"| `{solver}` | " + " | ".join(_quality(measured, key, name) for name in _SETS) + " |"
        for key, solver in _SOLVERS.items()
    ]


def _quality(measured: dict[str, Any], start: str, name: str) -> str:
    (cell,) = (v for k, v in measured.items() if k.startswith(start) and f", {name}," in k)
    ratio = f"{cell['ratio']:.4f}" if cell["num_optimal"] < cell["num_graphs"] else "1"
    return f"{ratio} in {_time(cell['seconds'] / cell['num_graphs'])}"


def size_rows() -> list[str]:
    """Return, for graphs of growing size, time from edge arrays to labels, and the objective."""
    rows = json.loads((RESULTS / "solvers.json").read_text(encoding="utf-8"))["rows"]
    found = {(row["instances"], row["solver"]): row["ours"] for row in rows}
    lines = []
    for size in _SIZES:
        cells = [_size(found.get((size, solver))) for solver in ("gaec", "klj", "fusion")]
        edges = next(row["num_edges"] for row in rows if row["instances"] == size)
        nodes = size.removeprefix("RandomMP ")
        lines.append(f"| {nodes} | {edges:,} | " + " | ".join(cells) + " |")
    return lines


# Rows of the comparison in README.md: what they are called there, and in solvers.json.
_PEER_ROWS = (
    ("random geometric graph, 10⁵ nodes, 378 k edges", "RandomMP 100,000", "gaec"),
    ("", "RandomMP 100,000", "klj"),
    ("the same, 10⁶ nodes, 3.8 M edges", "RandomMP 1,000,000", "gaec"),
    ("", "RandomMP 1,000,000", "klj"),
    ("electron microscopy, 20 k nodes, 144 k edges", "em/CREMI-C_test", "gaec"),
    ("", "em/CREMI-C_test", "klj"),
    ("200 random graphs of about 180 nodes", "200 RandomMP", "klj"),
    ("", "200 RandomMP", "fusion"),
    ("50 region graphs of images, 63 k nodes in all", "bsds/bsds_ucm_a", "fusion"),
)


def peer_rows() -> list[str]:
    """Return times and objectives beside those of the peer; the better objective is bold."""
    rows = json.loads((RESULTS / "solvers.json").read_text(encoding="utf-8"))["rows"]
    found = {(row["instances"], row["solver"]): row for row in rows}
    return [
        f"| {title} | `{solver}` | {_peer(found[instances, solver])} |"
        for title, instances, solver in _PEER_ROWS
    ]


def _peer(row: dict[str, Any]) -> str:
    ours, peer = row["ours"], row["peer"]
    mine = _objective(ours["objective"])
    time = _time(ours["build_seconds"] + ours["solve_seconds"])
    if peer is None:
        return f"{time} | \N{EN DASH} | \N{EN DASH} | {mine}"
    theirs = _objective(peer["objective"])
    speed_up = f"{row['speedup']:.1f}\N{MULTIPLICATION SIGN}"
    peer_time = _time(peer["build_seconds"] + peer["solve_seconds"])
    if mine == theirs:
        objectives = f"{mine}, the same"
    elif ours["objective"] < peer["objective"]:
        objectives = f"**{mine}**, {theirs}"
    else:
        objectives = f"{mine}, **{theirs}**"
    return f"{time} | {peer_time} | {speed_up} | {objectives}"


def _objective(value: float) -> str:
    return f"\N{MINUS SIGN}{-value:,.1f}"


def _size(ours: dict[str, Any] | None) -> str:
    if ours is None:
        return "\N{EN DASH}"
    seconds = ours["build_seconds"] + ours["solve_seconds"]
    return f"{_time(seconds)}: \N{MINUS SIGN}{-ours['objective']:,.0f}"


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{_digits(seconds * factor)} {unit}"
    return f"{_digits(seconds * 1e3)} ms"


def _digits(value: float) -> str:
    """Two significant digits, or all before the point."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def with_tables(page: str) -> str:
    """Return the text of a page of the project with its tables as they were measured."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for header, rows in TABLES[page].items():
        start = text.index(f"{header}\n|---") + len(header) + 1
        start = text.index("\n", start) + 1
        end = text.index("\n\n", start)
        text = text[:start] + "\n".join(rows()) + text[end:]
    return text


# Pages, and the tables that they have, by their first line.
TABLES = {
    "README.md": {
        "| instance | solver | time | peer's time | speed-up | objective, peer's |": peer_rows,
    },
    "docs/solvers.md": {
        "| solver | RandomMP, 180 nodes | IrisMP, 20 nodes | images | volume |": quality_rows,
        "| nodes | edges | `gaec` | `klj` | `fusion` |": size_rows,
    },
}


if __name__ == "__main__":
    for name in TABLES:
        (ROOT / name).write_text(with_tables(name), encoding="utf-8")
