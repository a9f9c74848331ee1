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


# Settings that docs/auto.md compares: what they are called in frontier.json, and there.
_SETTINGS = {
    "auto": "`auto`",
    "auto, 0.5 s": "`auto` with 0.5 s",
    "ilp": "`ilp`",
    "fusion, patience 100": "`fusion` with `patience=100`",
    "fusion, patience 20": "`fusion`",
    "klj": "`klj`",
    "gaec": "`gaec`",
}


def frontier_rows() -> list[str]:
    """Return mean ratios of several solvers over all families, and how much they prove."""
    families = _families()
    num_graphs = sum(family["num_graphs"] for family in families)
    lines = []
    for name, title in _SETTINGS.items():
        points = [_point(family, name) for family in families]
        ratio = sum(point["ratio"] for point in points) / len(points)
        worst = min(point["worst_ratio"] for point in points)
        proven = sum(point["num_proven"] for point in points) / num_graphs
        lines.append(f"| {title} | {ratio:.4f} | {worst:.4f} | {100 * proven:.0f} % |")
    return lines


# Settings of the frontier that docs/learned.md compares, in the order of its columns.
_CPU_COLUMNS = (
    "klj",
    "fusion, 20 proposals",
    "fusion, patience 20",
    "learned, fast",
    "learned, balanced",
    "learned, best",
    "learned, balanced, no network",
    "learned, best, no network",
)


def cpu_rows() -> list[str]:
    """Return, for each family, ratio and time of `learned` with its network and without."""
    return [
        f"| {family['num_graphs']} {family['family']} | "
        + " | ".join(_cpu(_point(family, name)) for name in _CPU_COLUMNS)
        + " |"
        for family in _families()
    ]


def _cpu(point: dict[str, Any]) -> str:
    milliseconds = point["seconds"] * 1e3
    digits = 0 if milliseconds >= 100 else 1
    return f"{point['ratio']:.4f}, {milliseconds:,.{digits}f} ms"


def _families() -> list[dict[str, Any]]:
    measured = json.loads((RESULTS / "frontier" / "frontier.json").read_text(encoding="utf-8"))
    families: list[dict[str, Any]] = measured["families"]
    return families


def _point(family: dict[str, Any], name: str) -> dict[str, Any]:
    (point,) = (point for point in family["points"] if point["name"] == name)
    found: dict[str, Any] = point
    return found


# Columns of the table of families that networks had not seen, as they are called in left_out.json.
_LEFT_OUT_COLUMNS = (
    "gaec",
    "klj",
    "peer klj",
    "fusion",
    "network, moves",
    "4 proposals",
    "learned fastest",
    "learned fast",
    "learned balanced",
)
_LEFT_OUT_FILES = {
    "modularity.npz": "6 modularity graphs",
    "signed/bitcoinotc.csv": "bitcoinotc",
}


def left_out_rows() -> list[str]:
    """Return ratio and milliseconds for families and files that no network had seen."""
    rows = json.loads((RESULTS / "left_out.json").read_text(encoding="utf-8"))["rows"]
    families = [row for name, row in rows.items() if name not in _LEFT_OUT_FILES]
    mean = {
        part: {
            column: sum(row[part][column] for row in families) / len(families)
            for column in _LEFT_OUT_COLUMNS
        }
        for part in ("ratio", "milliseconds")
    }
    return [
        f"| {title} | "
        + " | ".join(
            f"{row['ratio'][column]:.4f}, {_milliseconds(row['milliseconds'][column])}"
            for column in _LEFT_OUT_COLUMNS
        )
        + " |"
        for title, row in (
            *((_LEFT_OUT_FILES.get(name, name), row) for name, row in rows.items()),
            ("*mean of the eleven families*", mean),
        )
    ]


def _milliseconds(value: float) -> str:
    """Three significant digits, and two behind the point below ten."""
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


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
    "docs/auto.md": {
        "| solver | mean ratio | worst graph | proven optimal |": frontier_rows,
    },
    "docs/learned.md": {
        "| left out | `gaec` | `klj` | peer's KLj | `fusion` | network and moves | "
        "and 4 proposals | `learned`, fastest | `learned`, fast | `learned`, balanced |": (
            left_out_rows
        ),
        "| graphs | `klj` | `fusion`, 20 proposals | `fusion`, patience 20 | `learned`, fast | "
        "`learned`, balanced | `learned`, best | `learned`, balanced, no network | "
        "`learned`, best, no network |": cpu_rows,
    },
    "docs/solvers.md": {
        "| solver | RandomMP, 180 nodes | IrisMP, 20 nodes | images | volume |": quality_rows,
        "| nodes | edges | `gaec` | `klj` | `fusion` |": size_rows,
    },
}


if __name__ == "__main__":
    for name in TABLES:
        (ROOT / name).write_text(with_tables(name), encoding="utf-8")
