"""Peak memory of solvers on a grid with 10⁷ edges and 10⁷ lifted edges, each in its own process.

``python benchmarks/lifted_memory.py`` writes ``results/lifted_memory.json``. Peaks are those of the
whole process, the package included, without the arrays that the problem is made of.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import multicut as mc
from multicut.benchmark.lifted.instances import grid
from multicut.benchmark.report import describe_environment

RESULTS = Path(__file__).parent / "results"
# The one that needs most comes first.
SOLVERS: dict[str, dict[str, Any]] = {
    "fusion": {"num_threads": 2},
    "klj": {"num_threads": 2},
    "gaec": {},
    "greedy-fixation": {},
    "mutex-watershed": {},
}


def memory(name: str) -> int:
    """Return bytes that the system reports for this process, such as ``VmHWM``."""
    status = Path("/proc/self/status").read_text()
    found = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
    assert found is not None
    return 1024 * int(found[1])


def measure(solver: str, num_edges: int, time_limit: float | None) -> dict[str, Any]:
    """Make the problem, forget what it was made of, and solve it."""
    arrays = grid(2 * num_edges, 0.5)
    problem = mc.Problem(
        arrays.edges,
        arrays.costs,
        arrays.num_nodes,
        lifted_edges=arrays.lifted_edges,
        lifted_costs=arrays.lifted_costs,
    )
    row = {
        "solver": solver,
        "nodes": problem.num_nodes,
        "edges": problem.num_edges,
        "lifted": problem.num_lifted_edges,
    }
    del arrays
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    start = time.perf_counter()
    result = mc.solve(problem, solver, time_limit=time_limit, seed=0, **SOLVERS[solver])
    return row | {
        "bytes_before": before,
        "peak_bytes": memory("VmHWM"),
        "seconds": time.perf_counter() - start,
        "objective": result.objective,
        "stopped_by": str(result.stopped_by),
        "time_limit": time_limit,
    }


def main() -> None:
    """Run every solver in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=float, default=1e7, help="of each kind")
    parser.add_argument("--time-limit", type=float, default=100.0, help="of fusion, in seconds")
    parser.add_argument("--solver", choices=SOLVERS, help="only this one, and print the row")
    arguments = parser.parse_args()
    if arguments.solver:
        limit = arguments.time_limit if arguments.solver == "fusion" else None
        print(json.dumps(measure(arguments.solver, int(arguments.edges), limit)))
        return
    rows = []
    for solver in SOLVERS:
        command = [sys.executable, __file__, "--solver", solver, "--edges", str(arguments.edges)]
        command += ["--time-limit", str(arguments.time_limit)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows.append(json.loads(done.stdout))
        peak = rows[-1]["peak_bytes"] / 2**30
        print(f"{solver}: {peak:.2f} GiB, {rows[-1]['seconds']:.1f} s", flush=True)
        environment = describe_environment("python benchmarks/lifted_memory.py")
        text = json.dumps({"environment": environment, "rows": rows}, indent=2)
        (RESULTS / "lifted_memory.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
