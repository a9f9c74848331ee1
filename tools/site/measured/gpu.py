"""Tables of docs/gpu.md and docs/learned.md, from `learned/learned_inference.json`.

`benchmarks/learned_inference.py` wrote that file.
"""

from __future__ import annotations

from typing import Any

from measured.formats import read, signed

# What the stages are called there, and on the page.
_STAGES = {
    "costs, scaled (host)": "scaling costs (CPU)",
    "to the device": "transfer",
    "moves": "moves",
    "comparison with trivial": "comparison with a trivial partition",
    "labels back": "labels back",
    "labels numbered (host)": "labels numbered (CPU)",
    "objective (host)": "objective (CPU)",
}


def stage_rows() -> list[str]:
    """Return what each stage of `fastest` takes at 10⁶ nodes, and how many bytes it must move."""
    return [
        f"| {_STAGES.get(one['stage'], one['stage'])} | {_digits(one['milliseconds'])} "
        f"| {one['bytes'] / 1e6:,.0f} | {100 * one['share_of_bandwidth']:.1g} % |"
        for one in _measured()["stages"]
    ]


def effort_rows() -> list[str]:
    """Return what efforts find on a GPU and on a processor, and when, by the number of edges."""
    found = _measured()
    # Some are measured again for the picture; the first counts.
    rows = {(row["what"], row["size"]): row for row in reversed(found["rows"])}
    large = max(point["nodes"] for point in found["sizes"] if _efforts(rows, point["nodes"]))
    lines = []
    for point in found["sizes"]:
        edges, nodes = f"{point['edges']:,}", f"{point['nodes']:,} nodes"
        small = {
            (effort, place): rows.get((f"solve, {effort}, {place}", f"{edges} edges"))
            for effort in ("fastest", "fast")
            for place in ("GPU", "processor")
        }
        if all(small.values()):
            for effort in ("fastest", "fast"):
                cells = (_cell(small[effort, place]) for place in ("GPU", "processor"))
                lines.append(f"| {edges} | `{effort}` | {' | '.join(cells)} |")
        elif point["nodes"] == large:
            lines += [
                f"| {edges} | `{effort}` | {_cell(rows[f'solve, {effort}', nodes])} | |"
                for effort in ("fastest", "fast", "balanced", "best")
            ]
        else:
            processor = f"{_milliseconds(point['processor'])} " if "processor" in point else ""
            gpu = f"{_objective(point['objective'])} in {_milliseconds(point['problem'])}"
            lines.append(f"| {edges} | `fastest` | {gpu} | {processor}|")
    return lines


def bound_rows() -> list[str]:
    """Return bounds on a GPU by time limit, beside those of RAMA where its time is close."""
    lines = []
    told = set()
    for row in _measured()["rows"]:
        if not row["what"].startswith("lower_bound, limit "):
            continue
        limit = row["what"].removeprefix("lower_bound, limit ")
        peer = row["asked"].removeprefix("RAMA ")
        # RAMA has one bound of each graph; it stands beside ours of the next longer limit.
        is_next = peer and peer not in told and float(limit.split()[0]) > _peer_seconds(peer)
        if is_next:
            told.add(peer)
        lines.append(
            f"| {row['size'].removesuffix(' nodes')} | {limit} | {row['milliseconds']:,.0f} ms "
            f"| {signed(row['found'])} | {signed(peer) if is_next else ''} |"
        )
    return lines


def gpu_numbers() -> dict[str, str]:
    """Return measured numbers that sentences state, by the names they have there."""
    found = _measured()
    rows = {row["what"]: row for row in found["rows"]}
    small, large = sorted(found["kernels"], key=lambda one: one["edges"])
    most = max(found["sizes"], key=lambda one: one["nodes"])
    bound = rows["solve, fast"]["more"]["gaec_bound"]
    numbers = {
        "TB of copies": f"{found['bytes_per_second'] / 1e12:.1f}",
        "gaec beside the GPU": _thousands(rows["gaec, processor"]["milliseconds"]),
        "bound of gaec": _objective(bound),
        "objective from tensors at 10⁷": _objective(most["objective"]),
        "ms from tensors at 10⁷": _thousands(most["tensors"]),
    }
    for name, one in (("few", small), ("many", large)):
        numbers |= {
            f"ms of kernels, {name}": f"{one['busy']:.1f}",
            f"ms with launches, {name}": f"{one['milliseconds']:.0f}",
            f"launches, {name}": f"{one['launches']:,}",
        }
    return numbers


def _measured() -> dict[str, Any]:
    return read("learned/learned_inference.json")


def _efforts(rows: dict[tuple[str, str], Any], nodes: int) -> bool:
    return ("solve, best", f"{nodes:,} nodes") in rows


def _peer_seconds(peer: str) -> float:
    return float(peer.split(" in ")[1].split()[0]) / 1e3


def _cell(row: dict[str, Any] | None) -> str:
    assert row is not None
    return f"{signed(row['found'])} in {_milliseconds(row['milliseconds'])}"


def _objective(value: float) -> str:
    return signed(f"{value:,.0f}")


def _milliseconds(value: float) -> str:
    return f"{_digits(value)} ms"


def _digits(value: float) -> str:
    return _thousands(value) if value >= 10 else f"{value:.1f}"


def _thousands(value: float) -> str:
    return f"{value:,.0f}"
