"""How long after its time limit, and after Ctrl-C, each solver returns: percentiles.

``python -m trust.deadlines --seconds 60`` goes through solvers, graphs of growing size and limits
in a random order, and interrupts solvers at random moments, until the time is over. With
``--record quiet``, or another name for the state of the machine, runs are added to the file of
results, and the next call goes on where this one ended. ``--busy 2`` starts two processes that do
nothing but compute; ``--device cuda`` tries what can work on a GPU. What is measured, and how often
other programs get in the way, is told by :mod:`benchmarks.deadlines`.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc
from benchmarks.deadlines import Call, Run, all_entrants, cheapest_trivial, measure, problems, solve

RESULTS = Path(__file__).parent / "results" / "deadlines.json"
LIMITS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)
NUM_NODES = (250, 2_500, 25_000, 250_000, 2_500_000)
KINDS = ("none", "links")
# Of the combinations with limits of so many seconds, one in four is tried.
_LONG = 3.0
_COLUMNS = ("entrant", "kind", "edges", "limit", "late_ms", "worked_ms", "stopped_by")


def main() -> None:
    """Measure until the time is over, and print percentiles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--num-nodes", type=lambda text: int(float(text)), nargs="+",
                        default=NUM_NODES)  # fmt: skip
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS)
    parser.add_argument("--only", nargs="+", help="entrants, by default all")
    parser.add_argument("--busy", type=int, default=0, help="processes that compute meanwhile")
    parser.add_argument("--device", help="a GPU, for what can work there")
    parser.add_argument("--record", metavar="NAME", help="add to this part of the results")
    parser.add_argument("--results", type=Path, default=RESULTS, help="the file of these")
    arguments = parser.parse_args()
    # A job in the background inherits that Ctrl-C is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    known = all_entrants() if arguments.device is None else entrants_on(arguments.device)
    entrants = {name: call for name, call in known.items() if name in (arguments.only or [name])}
    document = json.loads(arguments.results.read_text()) if arguments.results.is_file() else {}
    part = document.get(arguments.record) or new_part()
    end = time.monotonic() + arguments.seconds
    small = mc.datasets.randommp(100)
    for call in entrants.values():
        call(small, 60.0)  # imports, and weights that are loaded once
    sizes = {
        (num_nodes, kind): (problem, cheapest_trivial(problem))
        for num_nodes in arguments.num_nodes
        for kind, problem in problems(num_nodes, list(KINDS))
    }
    order = combinations(list(entrants), list(sizes), list(arguments.limits))
    own = new_part()
    with busy(arguments.busy):
        for name, size, limit in itertools.islice(order, len(part["runs"]), None):
            if time.monotonic() > end:
                break
            problem, trivial = sizes[size]
            run = measure(name, size[1], problem, trivial, entrants[name], limit)
            add_run(own, run, problem.num_edges)
            # As many moments in the first milliseconds as in the first seconds.
            after = 10 ** random.Random(f"{name} {size} {limit}").uniform(-3, 0.5)
            interrupt(own, name, size[1], problem, entrants[name], after)
    merge(part, own)
    print(json.dumps(summary(part), indent=1))
    if arguments.record:
        document[arguments.record] = part
        arguments.results.parent.mkdir(parents=True, exist_ok=True)
        arguments.results.write_text(written(document))


def new_part() -> dict[str, Any]:
    """Return an empty part of the results."""
    return {
        "loads": [],
        "processors": os.cpu_count(),
        "worse_than_trivial": 0,
        "columns": list(_COLUMNS),
        "runs": [],
        "interrupts": [],
    }


def merge(part: dict[str, Any], own: dict[str, Any]) -> None:
    """Add what was measured now to what was measured before."""
    part["loads"].append(round(os.getloadavg()[0], 1))
    part["worse_than_trivial"] += own["worse_than_trivial"]
    for key in ("runs", "interrupts"):
        part[key] += own[key]


def written(document: dict[str, Any]) -> str:
    """Return the text of a file of results, with a line for each run."""
    text = json.dumps(document, indent=1)
    # Rows are the innermost lists.
    return re.sub(r"\[[^][]*\]", lambda row: " ".join(row[0].split()), text) + "\n"


def combinations(
    names: list[str], sizes: list[tuple[int, str]], limits: list[float]
) -> Iterator[tuple[str, tuple[int, str], float]]:
    """Yield what to measure, over and over, in an order that does not change."""
    for turn in itertools.count():
        chance = random.Random(turn)
        todo = [
            entry
            for entry in itertools.product(names, sizes, limits)
            if entry[2] < _LONG or chance.random() < 0.25
        ]
        chance.shuffle(todo)
        yield from todo


def entrants_on(device: str) -> dict[str, Call]:
    """Return what can work on a GPU."""
    return {
        "learned": functools.partial(solve, "learned", device=device),
        "learned, network": functools.partial(solve, "learned", device=device, use_network=True),
        "gnn": functools.partial(solve, "gnn", device=device),
        "auto": functools.partial(solve, "auto"),
        "learned, bound": functools.partial(solve, "learned", device=device, bound=True),
        "lower_bound": lambda problem, limit: mc.lower_bound(problem, limit, device=device),
    }


@contextmanager
def busy(num_processes: int) -> Iterator[None]:
    """Let other processes compute meanwhile."""
    others = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(num_processes)
    ]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def add_run(part: dict[str, Any], run: Run, num_edges: int) -> None:
    """Add a run under a time limit."""
    late = 1000 * (run.seconds - run.limit)
    row = (run.entrant, run.kind, num_edges, run.limit, round(late, 1),
           round(1000 * run.worked, 1), str(run.stopped_by))  # fmt: skip
    part["runs"].append(row)
    part["worse_than_trivial"] += run.excess is not None and run.excess > 1e-9 * abs(run.excess + 1)


def interrupt(
    part: dict[str, Any], name: str, kind: str, problem: mc.Problem, call: Call, after: float
) -> None:
    """Press Ctrl-C while a solver works, and add how long it went on."""
    pressed: list[tuple[float, float]] = []

    def press() -> None:
        pressed.append((time.perf_counter(), time.process_time()))
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    reason = "exception"
    try:
        timer.start()
        result = call(problem, 20.0)
        ended = time.perf_counter(), time.process_time()
        reason = "converged" if isinstance(result, float) else str(result.stopped_by)
        timer.cancel()
        timer.join()
        time.sleep(0.01)  # the signal may still be under way
    except KeyboardInterrupt:  # after the solver had returned, or before it began
        ended = time.perf_counter(), time.process_time()
    if not pressed or reason not in ("interrupt", "exception"):
        return
    late, worked = (1000 * (ended[i] - pressed[0][i]) for i in (0, 1))
    row = (name, kind, problem.num_edges, round(after, 4), round(late, 1), round(worked, 1), reason)
    part["interrupts"].append(row)


def late(runs: list[list[Any]]) -> list[list[Any]]:
    """Return the runs that took all of their time."""
    return [run for run in runs if run[6] != "converged" or run[4] > 0]


def percentiles(values: list[float]) -> dict[str, float]:
    """Return number, median, 99th percentile and worst; what came early counts as in time."""
    if not values:
        return {"runs": 0}
    ordered = np.sort(np.maximum(values, 0.0))
    return {
        "runs": len(ordered),
        "median_ms": round(float(np.median(ordered)), 1),
        "p99_ms": round(float(np.quantile(ordered, 0.99, method="higher")), 1),
        "worst_ms": round(float(ordered[-1]), 1),
    }


def summary(part: dict[str, Any]) -> dict[str, Any]:
    """Return percentiles by size, and the worst."""
    runs, pressed = late(part["runs"]), part["interrupts"]
    found: dict[str, Any] = {"loads": part["loads"], "worse": part["worse_than_trivial"]}
    for title, rows in (("limits", runs), ("interrupts", pressed)):
        found[title] = {
            str(edges): percentiles([row[4] for row in rows if row[2] == edges])
            | {"worked_p99_ms": percentiles([r[5] for r in rows if r[2] == edges])["p99_ms"]}
            for edges in sorted({row[2] for row in rows})
        }
        worst = sorted(rows, key=lambda row: -row[4])[:12]
        found[f"worst {title}"] = [" ".join(map(str, row)) for row in worst]
    return found


if __name__ == "__main__":
    main()
