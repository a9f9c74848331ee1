"""Every solver against brute force, `ilp`, the others and the peer, on random awkward problems.

``python -m trust.differential --num 10000`` solves that many problems; each solver gets a share of
them that suits its speed. What is wrong is printed with the seed that repeats it:
``python -m trust.differential --start SEED --num 1 --all``. With ``--record``, the file of results
holds what was done so far, whenever the program is killed; the same command then goes on.
``python -m trust.differential --merge FILE …`` adds such files to the results.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import time
from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc
from multicut.proof import costs_of, rounding_of
from trust.problems import draw, exact_objective, is_connected, optimum
from trust.tally import Tally
from trust.workers import run_apart

RESULTS = Path(__file__).parent / "results" / "differential.json"
# Of the problems, every how manieth a solver gets, where it is not each one.
_EVERY = {
    "fusion": 4,
    "lp": 8,
    "ilp": 4,
    "auto": 8,
    "memetic": 20,
    "gnn": 200,
    "learned": 50,
    "lower_bound": 4,
}
_THREADS = (1, 2, 7)
# Problems that a process gets at a time.
_PART = 200
# Seconds between two records.
_PAUSE = 5
PRECISION = 1e-9
_ULP = 2.0**-52
# Costs of such kinds are of similar size, so that proofs have to succeed.
_PLAIN = ("normal", "ties", "signs", "zeros", "one sign")


def main() -> None:
    """Solve many problems, and count what was checked and what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--num", type=int, default=2000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf, help="at most")
    parser.add_argument("--all", action="store_true", help="every solver on every problem")
    parser.add_argument("--solvers", nargs="+", help="by default all that are ready")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--record", action="store_true", help="add to the file of results")
    parser.add_argument("--results", type=Path, default=RESULTS, help="that file")
    parser.add_argument(
        "--merge", nargs="+", type=Path, help="add these files to it, solve nothing"
    )
    arguments = parser.parse_args()
    if arguments.merge:
        total = sum((Tally.read(path) for path in arguments.merge), Tally.read(arguments.results))
        total.write(arguments.results)
        return
    solvers = arguments.solvers or [
        record.name for record in mc.list_solvers() if record.is_ready()
    ]
    before = Tally.read(arguments.results) if arguments.record else Tally()
    deadline = time.time() + arguments.seconds
    task = partial(check, solvers=solvers, everything=arguments.all, deadline=deadline)
    parts = [
        range(i, min(i + _PART, missing.stop))
        for missing in before.missing(arguments.start, arguments.start + arguments.num)
        for i in range(missing.start, missing.stop, _PART)
    ]
    begin = saved = time.monotonic()
    own = Tally()
    for part in run_apart(task, parts, arguments.jobs, deadline=deadline):
        own += part
        print(*part.faults, sep="\n", end="\n" if part.faults else "", flush=True)
        own.seconds = arguments.jobs * (time.monotonic() - begin)
        if arguments.record and time.monotonic() > saved + _PAUSE:
            (before + own).write(arguments.results)
            saved = time.monotonic()
    seconds = time.monotonic() - begin
    print(f"{own.counts['problems']:,} problems in {seconds:.0f} s, {len(own.faults)} faults")
    print(", ".join(f"{key}: {number:,}" for key, number in sorted(own.counts.items())))
    if arguments.record:
        (before + own).write(arguments.results)
    raise SystemExit(1 if own.faults else 0)


def check(
    seeds: range, current: Any, *, solvers: list[str], everything: bool, deadline: float
) -> Tally:
    """Return what was checked on these problems until the deadline, and what is wrong."""
    tally = Tally()
    for seed in seeds:
        if time.time() > deadline:
            break
        current.value = seed
        tally.counts["problems"] += 1
        tally.faults += [
            f"seed {seed}: {fault}"
            for fault in faults_of(seed, solvers, tally.counts, everything=everything)
        ]
    tally.seeds = [(seeds.start, seeds.start + tally.counts["problems"])]
    return tally


def faults_of(
    seed: int, solvers: list[str], counts: Counter[str], *, everything: bool = False
) -> Iterator[str]:
    """Yield what is wrong with any result on one problem."""
    problem, kind = draw(seed)
    best = optimum(problem)
    if problem.is_lifted:
        counts["lifted problems"] += 1
    for record in mc.list_solvers():
        if record.name not in solvers or (problem.is_lifted and not record.takes_lifted):
            continue
        every = 1 if everything else _EVERY.get(record.name, 1)
        if seed % every != 0:
            continue
        counts[record.name] += 1
        options = _options(problem, record.name, seed)
        try:
            result = mc.solve(problem, record.name, seed=seed, bound=seed % 3 == 0, **options)
        except Exception as error:
            if problem.is_lifted and best == math.inf and isinstance(error, ValueError):
                continue  # there is no partition, and it says so
            if "lifted must-links (cost +inf)" in str(error):
                continue  # as documented
            yield f"{record.name} ({kind}): {type(error).__name__}: {error}"
            continue
        for fault in wrong_with(problem, result, best):
            yield f"{record.name} ({kind}): {fault}"
        is_plain = kind.split(", ")[1] in _PLAIN
        if record.name == "ilp" and is_plain:
            counts["proofs"] += 1
            if not result.optimal or result.objective > best:
                yield f"ilp ({kind}): {result.objective} is not proven, the optimum is {best}"
        if seed % 16 == 0 and record.name not in ("gnn", "learned"):
            yield from _repeated(problem, record.name, seed, result, counts, is_plain, options)
    if (everything or seed % _EVERY["lower_bound"] == 0) and best < math.inf:
        counts["lower_bound"] += 1
        bound = mc.lower_bound(problem)
        if not bound <= best + PRECISION * abs(best):
            yield f"lower_bound ({kind}): {bound} is above the optimum {best}"
    if seed % 64 == 0 and not problem.is_lifted and importlib.util.find_spec("bioimage_cpp"):
        yield from _against_peer(problem, best, kind, counts)


def _options(problem: mc.Problem, solver: str, seed: int) -> dict[str, Any]:
    """Return options that differ from problem to problem; lifted ones allow less."""
    if solver != "gasp":
        return {}
    linkages = (
        ("max-abs", "sum") if problem.is_lifted else ("average", "sum", "max-abs", "min", "max")
    )
    linkage = linkages[seed % len(linkages)]
    forbids = seed % 2 == 0 and not (problem.is_lifted and linkage == "sum")
    return {"linkage": linkage, "cannot_links": forbids}


def wrong_with(problem: mc.Problem, result: mc.Result, best: float) -> Iterator[str]:
    """Yield what is wrong with one result, given the optimum."""
    labels = result.labels
    if labels.shape != (problem.num_nodes,):
        yield f"labels of shape {labels.shape}"
        return
    first = {label: i for i, label in reversed(list(enumerate(labels.tolist())))}
    if sorted(first) != list(range(len(first))) or sorted(first.values()) != [
        first[label] for label in range(len(first))
    ]:
        yield f"labels are not canonical: {labels.tolist()}"
    if not is_connected(problem, labels):
        yield f"a cluster is not connected: {labels.tolist()}"
    cut = labels[problem.edges[:, 0]] != labels[problem.edges[:, 1]]
    exact = exact_objective(problem, labels)
    if not np.array_equal(result.cut, cut):
        yield "the cut is not that of the labels"
    # Lifted must-links are hard to meet, and a result that violates one says so.
    if mc.is_feasible(problem, result.cut) != (exact < math.inf):
        yield f"is_feasible is wrong about a partition of cost {exact}"
    if exact == math.inf and best < math.inf and not problem.is_lifted:
        yield "a constraint is violated, and need not be"
    if result.objective != exact and not abs(result.objective - exact) <= _ULP * abs(exact):
        yield f"objective {result.objective!r}, but the labels cost {exact!r}"
    # What proofs leave open, as documented.
    open_gap = PRECISION * abs(best) + rounding_of(costs_of(problem))
    if result.lower_bound is not None:
        if not result.lower_bound <= best + open_gap:
            yield f"lower bound {result.lower_bound!r} is above the optimum {best!r}"
        if not result.lower_bound <= result.objective:
            yield f"lower bound {result.lower_bound!r} is above the objective {result.objective!r}"
    if result.optimal and exact > best + open_gap:
        yield f"a false proof: {exact!r}, the optimum is {best!r}"
    objectives = result.trace[:, 1]
    if len(objectives) > 0:
        finite = objectives[np.isfinite(objectives)]
        size = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
        if (np.diff(finite) > 1e-9 * size).any():
            yield f"the trace rises: {finite.tolist()}"
        if objectives[-1] != result.objective:
            yield f"the trace ends at {objectives[-1]!r}, the objective is {result.objective!r}"


def _repeated(
    problem: mc.Problem,
    solver: str,
    seed: int,
    result: mc.Result,
    counts: Counter[str],
    is_plain: bool,
    options: dict[str, Any],
) -> Iterator[str]:
    """Yield where threads, repetition, scale or the order of nodes change what they must not."""
    counts["repetitions"] += 1
    takes_threads = "num_threads" in mc.list_solvers(solver)[0].option_defaults
    for threads in _THREADS if takes_threads else (None,):
        own = options if threads is None else options | {"num_threads": threads}
        again = mc.solve(problem, solver, seed=seed, **own)
        if not np.array_equal(again.labels, result.labels):
            yield f"{solver}: other labels on {threads} threads"
    if is_plain and not problem.is_lifted:
        counts["scalings"] += 1
        scaled = mc.Problem(problem.edges, problem.costs * 2.0**20, problem.num_nodes)
        again = mc.solve(scaled, solver, seed=seed, **options)
        if not np.array_equal(again.labels, result.labels):
            yield f"{solver}: other labels if costs are 2^20 times as large"
    if is_plain and solver == "ilp":
        counts["permutations"] += 1
        order = np.random.default_rng(seed).permutation(problem.num_nodes)
        arguments = {}
        if problem.is_lifted:
            arguments = {
                "lifted_edges": order[problem.lifted_edges],
                "lifted_costs": problem.lifted_costs,
            }
        other = mc.Problem(order[problem.edges], problem.costs, problem.num_nodes, **arguments)
        found = mc.solve(other, "ilp").objective
        if not abs(found - result.objective) <= PRECISION * abs(found):
            yield f"ilp: {found} if nodes are renumbered, {result.objective} before"


def _against_peer(
    problem: mc.Problem, best: float, kind: str, counts: Counter[str]
) -> Iterator[str]:
    """Yield where the peer finds less than the optimum of brute force, or counts otherwise."""
    import bioimage_cpp.graph as peer_graph
    from bioimage_cpp.graph import multicut as peer

    if not np.isfinite(problem.costs).all() or problem.num_edges == 0:
        return
    counts["peer"] += 1
    graph = peer_graph.undirected_graph(problem.num_nodes)
    graph.insert_edges(problem.edges.astype(np.uint64))
    task = peer.MulticutObjective(graph, problem.costs)
    labels = np.asarray(peer.GreedyAdditiveMulticut().optimize(task)).astype(np.int64)
    value = mc.objective(problem, labels)
    if value < best - PRECISION * abs(best):
        yield f"peer ({kind}): {value}, less than the optimum {best}"


if __name__ == "__main__":
    main()
