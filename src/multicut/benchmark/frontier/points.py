"""From measurements to points: mean ratio and time per graph, and who is on the front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from multicut.benchmark.frontier.entrants import BASELINE, Entrant, list_entrants, list_limited
from multicut.benchmark.frontier.measure import cell_key, limited_key, origin_key
from multicut.benchmark.ratios import num_worse, objective_ratios
from multicut.plotting.frontier import as_point, pareto_front

if TYPE_CHECKING:
    from multicut._arrays import FloatArray
    from multicut.benchmark.cache import Cache, Cell
    from multicut.benchmark.frontier.families import Family
    from multicut.benchmark.frontier.settings import FrontierSettings


@dataclass(frozen=True)
class Point:
    """One entrant on one family.

    Attributes
    ----------
    name, group
        The entrant, and the solver that it is a setting of.
    seconds
        From edge arrays to labels, mean over the graphs.
    ratio
        Mean ratio to the optimum, or to the best objective known.
    worst_ratio
        The smallest of these ratios.
    num_below
        On how many graphs it is worse than ``gaec``.
    num_proven, num_out_of_time
        How many graphs it proved optimal, and on how many its time was up.
    on_front
        Whether no other entrant is both as quick and better.
    """

    name: str
    group: str
    seconds: float
    ratio: float
    worst_ratio: float
    num_below: int
    num_proven: int
    num_out_of_time: int
    on_front: bool = False


@dataclass(frozen=True)
class FamilyResult:
    """What has been measured on one family.

    Attributes
    ----------
    family
        Its name.
    source
        What its graphs are.
    num_graphs, num_nodes, num_edges
        How many graphs, and their mean sizes.
    num_proven
        On how many graphs the best objective known is proven to be optimal.
    points
        The frontier, from quick to slow.
    limited
        By time limit: who competed under it.
    """

    family: str
    source: str
    num_graphs: int
    num_nodes: float
    num_edges: float
    num_proven: int
    points: tuple[Point, ...]
    limited: dict[float, tuple[Point, ...]]


def read_family(settings: FrontierSettings, family: Family) -> FamilyResult | None:
    """Read what has been measured on a family; None if that is nothing."""
    store = settings.open_cache(family.cache)
    origin = store.cells.get(origin_key(settings))
    if origin is None:
        return None
    frontier = _cells(store, [(e, cell_key(settings, e)) for e in list_entrants(settings)])
    limited = {
        limit: _cells(store, [(e, limited_key(settings, e)) for e in list_limited(settings, limit)])
        for limit in settings.limits
    }
    cells = [*frontier, *(pair for pairs in limited.values() for pair in pairs)]
    if not cells:
        return None
    best = _best_known(origin, [cell for _, cell in cells])
    proven = [optimum is not None for optimum in origin["optima"]]
    for _, cell in cells:
        for i, is_proven in enumerate(cell["proven"]):
            proven[i] |= is_proven
    return FamilyResult(
        family.name,
        family.source,
        origin["num_graphs"],
        origin["num_nodes"],
        origin["num_edges"],
        sum(proven),
        mark_front(_points(frontier, best)),
        {limit: _points(pairs, best) for limit, pairs in limited.items()},
    )


def mark_front(points: Sequence[Point]) -> tuple[Point, ...]:
    """Sort points by time, and mark those that are better than all that are as quick."""
    front = {point.name for point in pareto_front(as_point(point) for point in points)}
    marked = (replace(point, on_front=point.name in front) for point in points)
    return tuple(sorted(marked, key=lambda point: (point.seconds, -point.ratio)))


def _cells(store: Cache, keys: list[tuple[Entrant, str]]) -> list[tuple[Entrant, Cell]]:
    found = [(entrant, store.cells.get(key)) for entrant, key in keys]
    return [(e, cell) for e, cell in found if cell is not None and cell["objectives"] is not None]


def _best_known(origin: Cell, cells: Sequence[Cell]) -> FloatArray:
    best = np.array([np.inf if value is None else value for value in origin["optima"]])
    for cell in cells:
        objectives = np.array(cell["objectives"])
        best[: len(objectives)] = np.minimum(best[: len(objectives)], objectives)
    return best


def _points(pairs: list[tuple[Entrant, Cell]], best: FloatArray) -> tuple[Point, ...]:
    greedy = next((cell["objectives"] for e, cell in pairs if e.name == BASELINE), None)
    points = []
    for entrant, cell in pairs:
        objectives = cell["objectives"]
        ratios = objective_ratios(objectives, best[: len(objectives)])
        points.append(
            Point(
                entrant.name,
                entrant.group,
                cell["seconds_per_graph"],
                float(ratios.mean()),
                float(ratios.min()),
                0 if greedy is None else num_worse(objectives, greedy),
                sum(cell["proven"]),
                cell["num_out_of_time"],
            )
        )
    return tuple(points)
