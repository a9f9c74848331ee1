"""Signed agglomeration with a choice of linkages."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut import _core
from multicut._options import Options, option
from multicut.solvers import mutex_watershed
from multicut.solvers.protocol import native_solver

if TYPE_CHECKING:
    from multicut.problem import Problem

_LINKAGES = {
    "sum": _core.Linkage.SUM,
    "average": _core.Linkage.AVERAGE,
    "max-abs": _core.Linkage.MAX_ABS,
    "min": _core.Linkage.MIN,
    "max": _core.Linkage.MAX,
}


@dataclass(frozen=True)
class GaspOptions(Options):
    """Options of the solver ``gasp``."""

    linkage: str = option(
        "average",
        "the interaction of two clusters: sum (`gaec`), average, min or max of the costs between "
        "them, or the one of largest absolute value (max-abs: `mutex-watershed`)",
        choices=tuple(_LINKAGES),
    )
    cannot_links: bool = option(
        False,
        "whether a repulsive interaction keeps its clusters apart for good as soon as it is the "
        "strongest one left",
    )


def task(
    problem: Problem, options: GaspOptions, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Join the two clusters of the largest interaction until none is positive."""
    return _core.gasp(
        problem.graph,
        problem.costs,
        linkage=_LINKAGES[options.linkage],
        cannot_links=options.cannot_links,
    )


def lifted_task(
    problem: Problem, options: GaspOptions, _seconds: float = math.inf, _seed: int = 0
) -> _core.Task:
    """Agglomerate by a linkage that tells edges, which connect, from lifted ones, which do not."""
    if options.linkage == "max-abs":
        return mutex_watershed.lifted_task(problem)
    if options.linkage == "sum" and not options.cannot_links:
        return _core.lifted_gaec(
            problem.graph, problem.costs, problem.lifted_graph, problem.lifted_costs
        )
    raise ValueError(
        f"gasp takes lifted edges with linkage max-abs, or sum without cannot_links, got "
        f"{options.linkage}; make them edges, or use another solver"
    )


RECORD = native_solver(
    name="gasp",
    description="signed agglomeration with a choice of linkages, among them those of gaec and "
    "mutex-watershed; not a minimiser",
    task=task,
    lifted_task=lifted_task,
    options=GaspOptions,
    minimises=False,
)
