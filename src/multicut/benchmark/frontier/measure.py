"""Times and objectives of all entrants on the graphs of one family."""

from __future__ import annotations

import time
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from multicut._extras import needed
from multicut.benchmark.contests import CONTESTS, our_contender
from multicut.benchmark.frontier.entrants import Entrant, list_entrants, list_limited
from multicut.benchmark.instances import TINY, EdgeArrays
from multicut.benchmark.measure import measure, measure_once
from multicut.problem import Problem
from multicut.solve import solve, solve_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from multicut._arrays import IntArray
    from multicut.benchmark.cache import Cell
    from multicut.benchmark.frontier.families import Family
    from multicut.benchmark.frontier.settings import FrontierSettings
    from multicut.result import Result

# Repetitions of one entrant on all graphs of a family end after so many seconds.
_BUDGET = 0.5
_MAX_REPEATS = 3


def measure_family(settings: FrontierSettings, family: Family) -> None:
    """Fill the cache of a family with what is not there yet."""
    needed("torch", by="this comparison of solvers")
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(settings.num_threads)
    try:
        _fill(settings, family)
    finally:
        torch.set_num_threads(before)


def _fill(settings: FrontierSettings, family: Family) -> None:
    store = settings.open_cache(family.cache)

    @cache
    def graphs() -> list[EdgeArrays]:
        return [EdgeArrays.of(problem) for problem in family.load()[: settings.num_graphs]]

    store.get(origin_key(settings), lambda: _describe(family, settings))
    for entrant in list_entrants(settings):
        settings.report(f"{entrant.name} on {family.name}")
        store.get(cell_key(settings, entrant), partial(_measure, entrant, graphs))
    for limit in settings.limits:
        for entrant in list_limited(settings, limit):
            settings.report(f"{entrant.name} on {family.name}, at most {limit:g} s")
            few = partial(_measure, entrant, lambda: graphs()[: settings.num_limited])
            store.get(limited_key(settings, entrant), few)


def origin_key(settings: FrontierSettings) -> str:
    """Name the cell that holds sizes and shipped optima."""
    return f"graphs, {settings.num_graphs} at most"


def cell_key(settings: FrontierSettings, entrant: Entrant) -> str:
    """Name the cell of an entrant of the frontier."""
    return f"{entrant.key}, {settings.num_graphs} graphs at most"


def limited_key(settings: FrontierSettings, entrant: Entrant) -> str:
    """Name the cell of an entrant under a time limit."""
    return f"limited: {entrant.key}, {settings.num_limited} graphs at most"


def _describe(family: Family, settings: FrontierSettings) -> Cell:
    dataset = family.load()[: settings.num_graphs]
    problems = list(dataset)
    return {
        "num_graphs": len(problems),
        "num_nodes": sum(problem.num_nodes for problem in problems) / len(problems),
        "num_edges": sum(problem.num_edges for problem in problems) / len(problems),
        "optima": [problem.objective if problem.optimal else None for problem in problems],
    }


def _measure(entrant: Entrant, load: Callable[[], list[EdgeArrays]]) -> Cell:
    """Run one entrant; a cell without objectives means that the graphs are too large for it."""
    graphs = load()
    if max(len(graph.edges) for graph in graphs) > entrant.max_edges:
        return {"objectives": None}
    if entrant.in_batch:
        return _measure_batch(entrant, graphs)
    results: list[Result] = []
    contender = _contender(entrant, results)
    measure_once(contender, TINY)  # loads libraries and weights
    objectives, seconds, last = [], 0.0, []
    for graph in graphs:
        (found,) = measure([contender], graph, _BUDGET / len(graphs), _MAX_REPEATS)
        objectives.append(found.objective)
        seconds += found.total_seconds
        last += results[-1:]
    return _cell(objectives, seconds, last)


def _contender(entrant: Entrant, results: list[Result]) -> Any:
    if entrant.peer:
        return CONTESTS[entrant.solver].peer()

    def solve_ours(problem: Problem) -> IntArray:
        result = solve(problem, entrant.solver, entrant.time_limit, **entrant.options)
        if result.stopped_by == "interrupt":
            raise KeyboardInterrupt
        results.append(result)
        return result.labels

    return our_contender(solve_ours)


def _measure_batch(entrant: Entrant, graphs: Sequence[EdgeArrays]) -> Cell:
    best: tuple[float, list[Result]] | None = None
    spent = 0.0
    # The first repetition loads weights and compiles kernels; it counts only if it is the only one.
    for _ in range(_MAX_REPEATS + 1):
        start = time.perf_counter()
        problems = [Problem(graph.edges, graph.costs, graph.num_nodes) for graph in graphs]
        results = solve_batch(problems, entrant.solver, entrant.time_limit, **entrant.options)
        seconds = time.perf_counter() - start
        if any(result.stopped_by == "interrupt" for result in results):
            raise KeyboardInterrupt
        if best is None or seconds < best[0]:
            best = seconds, results
        spent += seconds
        if spent > 20 * _BUDGET:
            break
    assert best is not None
    return _cell([result.objective for result in best[1]], best[0], best[1])


def _cell(objectives: list[float], seconds: float, results: list[Result]) -> Cell:
    counts: dict[str, int] = {}
    for result in results:
        counts[result.solver] = counts.get(result.solver, 0) + 1
    return {
        "objectives": objectives,
        "seconds_per_graph": seconds / len(objectives),
        "proven": [result.optimal for result in results] or [False] * len(objectives),
        "num_out_of_time": sum(result.stopped_by == "time_limit" for result in results),
        "worked": counts,
        "measured": time.strftime("%Y-%m-%d"),
    }
