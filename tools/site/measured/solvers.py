"""Tables of docs/solvers.md, from `paper/table1.json` and `solvers.json`.

A sentence of docs/learned.md is from `solvers.json` as well.
"""

from __future__ import annotations

from typing import Any

from measured.formats import read, time, whole

_SETS = ("RandomMP", "IrisMP", "BSDS300 (stand-in)", "CREMI (stand-in)")
# What a solver is called in that file, and here.
_SOLVERS = {
    "gaec,": "gaec",
    "klj,": "klj",
    "fusion,": "fusion",
    "lp,": "lp",
    "ilp,": "ilp",
    "gcn_w_bn-general ": "gnn",
}
_SIZES = ("RandomMP 1,000", "RandomMP 10,000", "RandomMP 100,000", "RandomMP 1,000,000")


def quality_rows() -> list[str]:
    """Return, for each solver, mean ratio to the optimum and time per graph on four sets."""
    measured = read("paper/table1.json")
    return [
        f"| `{solver}` | " + " | ".join(_quality(measured, key, name) for name in _SETS) + " |"
        for key, solver in _SOLVERS.items()
    ]


def _quality(measured: dict[str, Any], start: str, name: str) -> str:
    (cell,) = (v for k, v in measured.items() if k.startswith(start) and f", {name}," in k)
    ratio = f"{cell['ratio']:.4f}" if cell["num_optimal"] < cell["num_graphs"] else "1"
    return f"{ratio} in {time(cell['seconds'] / cell['num_graphs'])}"


def size_rows() -> list[str]:
    """Return, for graphs of growing size, time from edge arrays to labels, and the objective."""
    rows = read("solvers.json")["rows"]
    found = {(row["instances"], row["solver"]): row["ours"] for row in rows}
    lines = []
    for size in _SIZES:
        cells = [_size(found.get((size, solver))) for solver in ("gaec", "klj", "fusion")]
        edges = next(row["num_edges"] for row in rows if row["instances"] == size)
        nodes = size.removeprefix("RandomMP ")
        lines.append(f"| {nodes} | {edges:,} | " + " | ".join(cells) + " |")
    return lines


def _size(ours: dict[str, Any] | None) -> str:
    if ours is None:
        return "\N{EN DASH}"
    seconds = ours["build_seconds"] + ours["solve_seconds"]
    return f"{time(seconds)}: \N{MINUS SIGN}{-ours['objective']:,.0f}"


def solver_numbers() -> dict[str, str]:
    """Return what solvers reach on the largest graph, which docs/learned.md repeats."""
    return {f"{solver} at 10⁶": _of_million(solver) for solver in ("gaec", "klj")}


def _of_million(solver: str) -> str:
    rows = read("solvers.json")["rows"]
    (ours,) = (
        row["ours"]
        for row in rows
        if (row["instances"], row["solver"]) == ("RandomMP 1,000,000", solver)
    )
    return _reached(ours["objective"], ours["build_seconds"] + ours["solve_seconds"])


def _reached(objective: float, seconds: float) -> str:
    return f"{whole(objective)} in {time(seconds)}"
