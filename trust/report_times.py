"""The part of docs/campaign.md about time limits and Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from trust.deadlines import late, percentiles

# On more edges than this, limits below `SHORT` seconds leave no time to read the graph once.
MANY_EDGES, SHORT = 5_000_000, 0.3
# What the 99th percentile is to be, in milliseconds.
AIM_MS = 50
STATES = {
    "quiet": "a quiet machine",
    "busy": "a busy machine",
    "cuda": "a GPU",
}
# What the rows for graphs of all sizes end with.
_LARGE = ("from 0.3 s on", "all sizes and limits", "all sizes")
_Rows = list[list[Any]]


def groups(rows: _Rows) -> Iterator[tuple[str, _Rows]]:
    """Yield runs by size; on the largest graphs, short limits apart."""
    for edges in sorted({row[2] for row in rows}):
        own = [row for row in rows if row[2] == edges]
        if edges <= MANY_EDGES:
            yield f"{edges:,}", own
            continue
        yield f"{edges:,}, from {SHORT} s", [row for row in own if row[3] >= SHORT]
        yield f"{edges:,}, shorter", [row for row in own if row[3] < SHORT]


def reachable(rows: _Rows) -> _Rows:
    """Return the runs whose limits leave time to read the graph once."""
    return [row for row in rows if row[2] <= MANY_EDGES or row[3] >= SHORT]


def summary(results: dict[str, Any], row: Callable[..., str]) -> Iterator[str]:
    """Yield lines of the table at the top of the page."""
    for name, words in STATES.items():
        if name not in results:
            continue
        runs, pressed = late(results[name]["runs"]), results[name]["interrupts"]
        for what, rows in (
            ("beyond a time limit, up to 10⁶ edges", [run for run in runs if run[2] <= MANY_EDGES]),
            ("beyond a time limit, also 10⁷ edges from 0.3 s on", reachable(runs)),
            ("beyond a time limit, all sizes and limits", runs),
            ("after Ctrl-C, up to 10⁶ edges", [one for one in pressed if one[2] <= MANY_EDGES]),
            ("after Ctrl-C, all sizes", pressed),
        ):
            if what.endswith(_LARGE) and all(entry[2] <= MANY_EDGES for entry in rows):
                continue  # the same runs as above
            clock, own = (percentiles([entry[i] for entry in rows]) for i in (4, 5))
            text = (
                f"{clock['p99_ms']:.0f} ms by the clock, {own['p99_ms']:.0f} ms of processor time "
                f"({clock['runs']:,} times)"
            )
            yield row(f"99th percentile {what}, on {words}", text)


def pages(results: dict[str, Any], table: Callable[..., list[str]],
          row: Callable[..., str]) -> Iterator[str]:  # fmt: skip
    """Yield lines."""
    yield "## Time limits and Ctrl-C\n"
    yield (
        "Limits from 1 ms to 10 s for every solver, on graphs without constraints and with "
        "must-links and cannot-links: by how many\nms they were exceeded. Runs that ended before "
        "count only if they were late. Processor time is what the solver itself still\ndid; the "
        "rest, it waited for its turn.\n"
    )
    yield from _verdict(results)
    for name, words in STATES.items():
        if name in results:
            yield from _state(words, results[name], table, row)
    yield from _solvers(results.get("quiet") or next(iter(results.values())), table, row)


def _verdict(results: dict[str, Any]) -> Iterator[str]:
    """Say where the aim is reached on a quiet machine, and where it is not."""
    if "quiet" not in results:
        return
    runs = late(results["quiet"]["runs"])
    parts = {
        "up to 10⁶ edges": [row for row in runs if row[2] <= MANY_EDGES],
        f"on 10⁷ edges from {SHORT} s on": [
            row for row in runs if row[2] > MANY_EDGES and row[3] >= SHORT
        ],
        f"on 10⁷ edges below {SHORT} s": [
            row for row in runs if row[2] > MANY_EDGES and row[3] < SHORT
        ],
    }
    found = {where: percentiles([row[4] for row in rows]) for where, rows in parts.items() if rows}
    words = [
        f"{'reached' if one['p99_ms'] <= AIM_MS else 'missed'} {where} ({one['p99_ms']:.0f} ms)"
        for where, one in found.items()
    ]
    verdict = ",\n".join(words)
    yield (
        f"The aim is a 99th percentile of {AIM_MS} ms by the clock on a quiet machine. It is "
        f"{verdict}.\nOn 10⁷ edges, components, cut and objective of any partition take "
        "several passes over the edges, which\nshorter limits do not leave time for.\n"
    )


def _state(
    words: str, part: dict[str, Any], table: Callable[..., list[str]], row: Callable[..., str]
) -> Iterator[str]:
    runs, pressed = late(part["runs"]), part["interrupts"]
    loads = ", ".join(map(str, part["loads"]))
    yield f"### On {words}\n"
    yield f"{part['processors']} processors; loads at the end of each part: {loads}.\n"
    yield from table("edges", "runs", "median", "99 %", "worst", "processor time, 99 %")
    for title, own in groups(runs):
        if own:
            yield _line(title, own, row)
    yield ""
    yield from table("Ctrl-C, edges", "times", "median", "99 %", "worst", "processor time, 99 %")
    for edges in sorted({entry[2] for entry in pressed}):
        yield _line(f"{edges:,}", [entry for entry in pressed if entry[2] == edges], row)
    yield f"\n{part['worse_than_trivial']} results were worse than a trivial partition.\n"


def _line(title: str, rows: _Rows, row: Callable[..., str]) -> str:
    clock = percentiles([entry[4] for entry in rows])
    own = percentiles([entry[5] for entry in rows])
    return row(title, clock["runs"], clock["median_ms"], clock["p99_ms"], clock["worst_ms"],
               own["p99_ms"])  # fmt: skip


def _solvers(
    part: dict[str, Any], table: Callable[..., list[str]], row: Callable[..., str]
) -> Iterator[str]:
    runs, pressed = reachable(late(part["runs"])), part["interrupts"]
    yield "### By solver\n"
    yield from table("solver", "runs", "99 %", "worst", "Ctrl-C", "99 %", "worst")
    for name in sorted({entry[0] for entry in part["runs"]}):
        cells: list[object] = [f"`{name}`"]
        for rows in (runs, pressed):
            found = percentiles([entry[4] for entry in rows if entry[0] == name])
            cells += [found["runs"], found.get("p99_ms", ""), found.get("worst_ms", "")]
        yield row(*cells)
    yield ""
