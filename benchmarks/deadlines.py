"""How long after their time limit solvers return.

Every solver, a solver with a lower bound, and the lower bound alone get RandomMP graphs of growing
size, without constraints and with must-links and cannot-links, under a ladder of time limits. One
line per size, kind of problem and entrant says by how much a limit was exceeded: the median and the
worst over all limits, runs that converged before it not counted. Times are from the call to the
return, as a caller sees them.

Other programs on the machine delay a run, too. So the same is told in processor time: how much this
process, all of its threads together, still worked after the limit. Where nothing else runs and one
thread works, both are alike. `worse` counts results that cost more than a trivial partition.
"""

from __future__ import annotations

import argparse
import functools
import json
import statistics
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

import multicut as mc

LIMITS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)
NUM_NODES = (100_000, 1_000_000)
# Of the edges, the shares that become must-links and cannot-links.
MUST_LINKS, CANNOT_LINKS = 0.05, 0.02


@dataclass(frozen=True)
class Run:
    """One call under a time limit.

    Attributes
    ----------
    entrant, kind, num_nodes
        What ran, and on what.
    limit, seconds
        The time limit, and how long the call took.
    worked
        Processor seconds that the call took after its limit.
    stopped_by
        Why it ended; for a lower bound alone, ``"time_limit"`` if it took all of its time.
    excess
        By how much the objective is above that of the best trivial partition; at most 0 is right.
    """

    entrant: str
    kind: str
    num_nodes: int
    limit: float
    seconds: float
    worked: float
    stopped_by: str
    excess: float | None

    @property
    def overshoot(self) -> float:
        """Seconds beyond the limit."""
        return max(self.seconds - self.limit, 0.0)


Call = Callable[[mc.Problem, float], mc.Result | float]


def main() -> None:
    """Measure, print a line as soon as it is complete, and write all runs to a file if told to."""
    arguments = parse_arguments()
    entrants = {
        name: call for name, call in all_entrants().items() if name in (arguments.only or [name])
    }
    if not entrants:
        raise SystemExit(f"no entrant is called so; known are: {', '.join(all_entrants())}")
    runs: list[Run] = []
    print(f"{'':<48}  overshoot in s  processor time")
    print(f"{'nodes':>9}  {'constraints':<11}  {'entrant':<16}  {'runs':>4}  "
          f"{'median':>6}  {'worst':>6}  {'median':>6}  {'worst':>6}  worse")  # fmt: skip
    for num_nodes in arguments.num_nodes:
        for kind, problem in problems(num_nodes, arguments.constraints):
            trivial = cheapest_trivial(problem)
            for name, call in entrants.items():
                call(mc.datasets.randommp(100), 60.0)  # imports, and weights that are loaded once
                own = [
                    measure(name, kind, problem, trivial, call, limit)
                    for _ in range(arguments.repetitions)
                    for limit in arguments.limits
                ]
                print(row(own), flush=True)
                runs += own
    if arguments.output is not None:
        arguments.output.write_text(json.dumps([asdict(run) for run in runs], indent=1) + "\n")


def parse_arguments() -> argparse.Namespace:
    """Return what to measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--num-nodes", type=lambda text: int(float(text)), nargs="+",
                        default=NUM_NODES, help="sizes of the graphs")  # fmt: skip
    parser.add_argument("--limits", type=float, nargs="+", default=LIMITS, help="in seconds")
    parser.add_argument("--repetitions", type=int, default=3, help="of each limit")
    parser.add_argument("--only", nargs="+", help="entrants, by default all")
    parser.add_argument("--constraints", nargs="+", choices=("none", "links"),
                        default=("none", "links"), help="kinds of problems")  # fmt: skip
    parser.add_argument("--output", type=Path, help="a JSON file for all runs")
    return parser.parse_args()


def all_entrants() -> dict[str, Call]:
    """Return what is measured, by name."""
    entrants: dict[str, Call] = {
        record.name: functools.partial(solve, record.name)
        for record in mc.list_solvers()
        if record.is_ready()
    }
    entrants["learned, network"] = functools.partial(solve, "learned", use_network=True)
    entrants["gaec, bound"] = functools.partial(solve, "gaec", bound=True)
    entrants["klj, bound"] = functools.partial(solve, "klj", bound=True)
    entrants["lower_bound"] = lambda problem, limit: mc.lower_bound(problem, limit)
    return entrants


def solve(solver: str, problem: mc.Problem, limit: float, **options: object) -> mc.Result:
    """Solve a problem, with the arguments in an order that suits `partial`."""
    return mc.solve(problem, solver, limit, **options)  # type: ignore[arg-type]


def problems(num_nodes: int, kinds: list[str]) -> Iterator[tuple[str, mc.Problem]]:
    """Yield a RandomMP graph, and the same with constraints that do not contradict each other."""
    problem = mc.datasets.randommp(num_nodes)
    if "none" in kinds:
        yield "none", problem
    if "links" not in kinds:
        return
    chance = np.random.default_rng(0).random(problem.num_edges)
    costs = problem.costs.copy()
    costs[chance < MUST_LINKS] = np.inf
    must = mc.Problem(problem.edges, costs, num_nodes=num_nodes)
    groups = must_link_groups(must)
    first, second = must.edges.T
    costs[(chance > 1 - CANNOT_LINKS) & (groups[first] != groups[second])] = -np.inf
    yield "links", mc.Problem(problem.edges, costs, num_nodes=num_nodes)


def cheapest_trivial(problem: mc.Problem) -> float:
    """Return the objective of the best of all apart and all together that is feasible."""
    finite = np.isfinite(problem.costs)
    if finite.all():
        return min(0.0, float(problem.costs.sum()))
    return mc.objective(problem, must_link_groups(problem))


def must_link_groups(problem: mc.Problem) -> np.ndarray:
    """Return labels of the nodes that must-links join."""
    chosen = problem.edges[problem.costs == np.inf]
    matrix = coo_array(
        (np.ones(len(chosen)), chosen.T), shape=(problem.num_nodes, problem.num_nodes)
    )
    return connected_components(matrix, directed=False)[1]


def measure(
    name: str, kind: str, problem: mc.Problem, trivial: float, call: Call, limit: float
) -> Run:
    """Call once under a limit."""
    at_limit = []
    alarm = threading.Timer(limit, lambda: at_limit.append(time.process_time()))
    start = time.perf_counter()
    alarm.start()
    result = call(problem, limit)
    seconds = time.perf_counter() - start
    worked = time.process_time() - at_limit[0] if at_limit else 0.0
    alarm.cancel()
    alarm.join()
    if isinstance(result, float):
        reason = "time_limit" if seconds >= limit else "converged"
        return Run(name, kind, problem.num_nodes, limit, seconds, worked, reason, None)
    excess = result.objective - trivial
    return Run(name, kind, problem.num_nodes, limit, seconds, worked, result.stopped_by, excess)


def row(runs: list[Run]) -> str:
    """Return one line about the runs of an entrant on a problem."""
    stopped = [run for run in runs if run.stopped_by != "converged" or run.overshoot > 0]
    over = [run.overshoot for run in stopped] or [0.0]
    worked = [run.worked for run in stopped] or [0.0]
    worse = sum(run.excess is not None and run.excess > 1e-9 for run in runs)
    first = runs[0]
    return (
        f"{first.num_nodes:>9,}  {first.kind:<11}  {first.entrant:<16}  {len(stopped):>4}  "
        f"{statistics.median(over):>6.3f}  {max(over):>6.3f}  "
        f"{statistics.median(worked):>6.3f}  {max(worked):>6.3f}  {worse:>5}"
    )


if __name__ == "__main__":
    main()
