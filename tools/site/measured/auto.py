"""Tables of docs/auto.md, from `frontier/frontier.json` and `auto.json`."""

from __future__ import annotations

from importlib import util
from typing import Any

from measured.formats import ROOT_OF_SCRIPTS, read

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


def _families() -> list[dict[str, Any]]:
    families: list[dict[str, Any]] = read("frontier/frontier.json")["families"]
    return families


def _point(family: dict[str, Any], name: str) -> dict[str, Any]:
    (point,) = (point for point in family["points"] if point["name"] == name)
    found: dict[str, Any] = point
    return found


def proof_rows() -> list[str]:
    """Return how many graphs of each kind `ilp` proves, as the script that measured it counts."""
    path = ROOT_OF_SCRIPTS / "auto_measurements.py"
    spec = util.spec_from_file_location("auto_measurements", path)
    assert spec is not None
    assert spec.loader is not None
    script = util.module_from_spec(spec)
    spec.loader.exec_module(script)
    _, _, *rows = script.render(list(read("auto.json").values()))
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [f"| {' | '.join(row)} |" for row in cells if row[1] not in ("", "0")]


def auto_numbers() -> dict[str, str]:
    """Return how many graphs and families were measured."""
    families = _families()
    return {
        "graphs of the frontier": str(sum(family["num_graphs"] for family in families)),
        "families of the frontier": str(len(families)),
        "graphs of proofs": str(len(read("auto.json"))),
    }
