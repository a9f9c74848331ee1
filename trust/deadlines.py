"""How long after its time limit, and after Ctrl-C, each solver returns: percentiles.

``python -m trust.deadlines --seconds 60`` gives every solver limits from 1 ms on graphs of growing
size, and interrupts it at random moments, until the time is over. What is measured, and how
often other programs get in the way, is told by :mod:`benchmarks.deadlines`.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

import multicut as mc
from benchmarks.deadlines import Run, all_entrants, cheapest_trivial, measure, problems

RESULTS = Path(__file__).parent / "results" / "deadlines.json"
LIMITS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
NUM_NODES = (250, 2_500, 25_000, 250_000)


@dataclass(frozen=True)
class Interrupt:
    """One Ctrl-C: how long the solver had worked, how long it went on, and what it said."""

    solver: str
    num_edges: int
    after: float
    late: float
    stopped_by: str


def main() -> None:
    """Measure solvers on graphs at random until the time is over, and print percentiles."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--num-nodes", type=lambda text: int(float(text)), nargs="+",
                        default=NUM_NODES)  # fmt: skip
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS)
    parser.add_argument("--only", nargs="+", help="entrants, by default all")
    parser.add_argument("--record", action="store_true", help="write to the file of results")
    arguments = parser.parse_args()
    # A job in the background inherits that Ctrl-C is ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    end = time.monotonic() + arguments.seconds
    entrants = {
        name: call for name, call in all_entrants().items() if name in (arguments.only or [name])
    }
    small = mc.datasets.randommp(100)
    for call in entrants.values():
        call(small, 60.0)  # imports, and weights that are loaded once
    runs: list[tuple[int, Run]] = []
    interrupts: list[Interrupt] = []
    sizes = [
        (problem, kind, cheapest_trivial(problem))
        for num_nodes in arguments.num_nodes
        for kind, problem in problems(num_nodes, ["none", "links"])
    ]
    chance = random.Random(0)
    solvers = {record.name for record in mc.list_solvers()}
    while time.monotonic() < end:
        problem, kind, trivial = chance.choice(sizes)
        name = chance.choice(list(entrants))
        limit = chance.choice(arguments.limits)
        run = measure(name, kind, problem, trivial, entrants[name], limit)
        runs.append((problem.num_edges, run))
        if name in solvers:
            interrupts.append(interrupt(name, problem, chance.uniform(0.001, 0.3)))
    report = summary(runs, interrupts)
    print(json.dumps(report, indent=1))
    if arguments.record:
        RESULTS.parent.mkdir(parents=True, exist_ok=True)
        RESULTS.write_text(json.dumps(report, indent=2) + "\n")


def interrupt(solver: str, problem: mc.Problem, after: float) -> Interrupt:
    """Press Ctrl-C while a solver works."""
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(after, press)
    stopped_by = "exception"
    try:
        timer.start()
        stopped_by = str(mc.solve(problem, solver, time_limit=20.0).stopped_by)
        late = time.perf_counter() - pressed[0] if pressed else 0.0
        timer.cancel()
        timer.join()
        time.sleep(0.01)  # the signal may still be under way
    except KeyboardInterrupt:  # after the solver had returned, or before it began
        late = time.perf_counter() - pressed[0]
    if not pressed:
        stopped_by = "converged"
    return Interrupt(solver, problem.num_edges, after, late, stopped_by)


def summary(runs: list[tuple[int, Run]], interrupts: list[Interrupt]) -> dict[str, object]:
    """Return percentiles of the overshoot by size and by solver, in milliseconds."""

    def percentiles(values: list[float]) -> dict[str, float]:
        if not values:
            return {"runs": 0}
        ordered = np.sort(values) * 1000
        return {
            "runs": len(ordered),
            "median_ms": round(float(statistics.median(ordered)), 1),
            "p99_ms": round(float(np.quantile(ordered, 0.99, method="higher")), 1),
            "worst_ms": round(float(ordered[-1]), 1),
        }

    def late(chosen: list[Run]) -> dict[str, object]:
        stopped = [run for run in chosen if run.stopped_by != "converged" or run.overshoot > 0]
        return {
            "clock": percentiles([run.overshoot for run in stopped]),
            "processor": percentiles([run.worked for run in stopped]),
        }

    pressed = [one for one in interrupts if one.stopped_by == "interrupt"]
    return {
        "load": [round(value, 1) for value in os.getloadavg()],
        "processors": os.cpu_count(),
        "all": late([run for _, run in runs]),
        "worse_than_trivial": sum(
            run.excess is not None and run.excess > 1e-9 * abs(run.excess + 1) for _, run in runs
        ),
        "by_edges": {
            str(size): late([run for own, run in runs if own == size])
            for size in sorted({size for size, _ in runs})
        },
        "by_solver": {
            name: late([run for _, run in runs if run.entrant == name])
            for name in dict.fromkeys(run.entrant for _, run in runs)
        },
        "interrupts": percentiles([one.late for one in pressed]),
        "slowest_interrupts": [
            asdict(one) for one in sorted(pressed, key=lambda one: -one.late)[:5]
        ],
    }


if __name__ == "__main__":
    main()
