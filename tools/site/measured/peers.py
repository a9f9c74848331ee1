"""The comparison with the peer: in README.md, from `solvers.json`, and on docs/solvers.md.

The sentence of docs/solvers.md is from `peer_families.json`.
"""

from __future__ import annotations

from typing import Any

from measured.formats import objective, read, time

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
    rows = read("solvers.json")["rows"]
    found = {(row["instances"], row["solver"]): row for row in rows}
    return [
        f"| {title} | `{solver}` | {_peer(found[instances, solver])} |"
        for title, instances, solver in _PEER_ROWS
    ]


def _peer(row: dict[str, Any]) -> str:
    ours, peer = row["ours"], row["peer"]
    mine = objective(ours["objective"])
    our_time = time(ours["build_seconds"] + ours["solve_seconds"])
    if peer is None:
        return f"{our_time} | \N{EN DASH} | \N{EN DASH} | {mine}"
    theirs = objective(peer["objective"])
    speed_up = f"{row['speedup']:.1f}\N{MULTIPLICATION SIGN}"
    peer_time = time(peer["build_seconds"] + peer["solve_seconds"])
    if mine == theirs:
        objectives = f"{mine}, the same"
    elif ours["objective"] < peer["objective"]:
        objectives = f"**{mine}**, {theirs}"
    else:
        objectives = f"{mine}, **{theirs}**"
    return f"{our_time} | {peer_time} | {speed_up} | {objectives}"


def peer_numbers() -> dict[str, str]:
    """Return on how many sets of graphs `klj` is how much faster than the peer's."""
    rows = read("peer_families.json")["families"].values()
    speed_ups = sorted(row["peer_seconds"] / row["seconds"] for row in rows)
    slower = [each for each in speed_ups if each < _TWICE]
    return {
        "sets beside the peer": str(len(speed_ups)),
        "sets as good": str(sum(row["ratio"] >= row["peer_ratio"] for row in rows)),
        "sets twice as fast": str(len(speed_ups) - len(slower)),
        "least speed": f"{slower[0]:.1f}",
        "most speed": f"{slower[-1]:.1f}",
    }


_TWICE = 2
