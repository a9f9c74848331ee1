"""Solutions of the image or problem of a visitor, by the solvers they chose."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from multicut.app.failures import VisitorError
from multicut.app.segmenting import ImageChoices, segment_image
from multicut.app.subjects import MOST_EDGES_DRAWN, GraphSubject, Subject
from multicut.bound import bound_from_below
from multicut.proof import certify
from multicut.solve import solve
from multicut.solvers import get_solver, list_solvers
from multicut.stop import Stop

if TYPE_CHECKING:
    from multicut._arrays import FloatArray
    from multicut.app.limits import AppLimits
    from multicut.problem import Problem
    from multicut.result import Result
    from multicut.stop import Progress
    from multicut.vision import RegionProblem, Segmentation

#: Told what is going on: a share of the whole between 0 and 1, and a few words.
Report = Callable[[float, str], object]
# Of the time of a solver, what a lower bound may take on top of it.
_SHARE_OF_BOUND = 0.5
# The descriptions of the library use its own terms, such as names of arguments.
_NOTES = {
    "auto": "Chooses one of the other solvers by the size of the problem and the time limit.",
    "gaec": "Greedy contraction of edges: the fastest solver, with a good result on any graph.",
    "dual-greedy": "Greedy contraction, least conflict first: much better than gaec, still fast.",
    "greedy-fixation": "Greedy contraction that also fixes cuts: fast, for strong repulsion.",
    "gasp": "Joins the clusters of the largest average cost: agglomeration, not a minimiser.",
    "mutex-watershed": "The strongest edges decide first: agglomeration, not a minimiser.",
    "klj": "Local search that moves nodes between clusters and joins clusters; starts greedily.",
    "fusion": "Combines many solutions: usually the best result, but much slower than klj.",
    "memetic": "Combines populations of solutions: the best result, for whoever has a minute.",
    "lp": "Solves a linear relaxation: a good lower bound, and a result by rounding.",
    "ilp": "Exact: proves that its result is optimal, or bounds the gap. Slow on large problems.",
    "gnn": "A graph neural network predicts which edges are cut; its output is rounded.",
    "learned": "Contracts edges, on a GPU if there is one; local search improves the result.",
}


@dataclass(frozen=True)
class Choices:
    """What a visitor chose; by default what ``multicut solve`` does.

    Attributes
    ----------
    solver, other
        The solver, and the one to compare it with, if any.
    time_limit
        Seconds for each solver; None lets it run until it has converged. Either way it ends when
        the limit of the server is reached.
    bound
        Whether to compute a lower bound, unless a solver proves its result optimal.
    seed
        For solvers that draw random numbers.
    image
        How an image becomes a problem.
    """

    solver: str = "auto"
    other: str | None = None
    time_limit: float | None = None
    bound: bool = False
    seed: int = 0
    image: ImageChoices = field(default_factory=ImageChoices)


@dataclass(frozen=True, eq=False)
class Solved:
    """A subject with one or two results.

    Attributes
    ----------
    subject
        What was solved.
    problem
        Its problem; for an image that of its superpixels.
    results
        The result of each solver. All have the same lower bound, the best that was found, and
        runtimes without that of the bound.
    names
        The name of each solver as chosen, with what it chose itself: ``"auto → fusion"``.
    segmentations
        The segmentation by each result, for an image; they share superpixels and region graph.
    """

    subject: Subject
    problem: Problem
    results: tuple[Result, ...]
    names: tuple[str, ...]
    segmentations: tuple[Segmentation, ...] = ()

    @property
    def positions(self) -> FloatArray | None:
        """Where to draw nodes; None if there are too many for a picture."""
        if isinstance(self.subject, GraphSubject):
            return self.subject.positions
        if self.problem.num_edges > MOST_EDGES_DRAWN:
            return None
        from multicut.vision import region_centres

        centres = region_centres(self.segmentations[0].superpixels, self.problem.num_nodes)
        *_, rows, columns = centres.T  # of a volume as seen from above
        return np.stack([columns, -rows], axis=1)


def offered_solvers() -> list[str]:
    """Name the solvers that run here without options."""
    return [record.name for record in list_solvers() if record.is_ready()]


def describe_solver(name: str | None) -> str:
    """Return what a solver does, in one line for the page; empty if it is not offered."""
    if name not in offered_solvers():
        return ""
    return _NOTES.get(name) or get_solver(name).description


def solve_subject(
    subject: Subject, choices: Choices, limits: AppLimits, report: Report = lambda *_: None
) -> Solved:
    """Solve the image or problem of a visitor, with one solver or with two."""
    most = limits.time_limit
    seconds = None if choices.time_limit is None else limits.seconds(choices.time_limit)
    parts = None
    if isinstance(subject, GraphSubject):
        problem = subject.problem
    else:
        report(0.02, "finding superpixels")
        parts = segment_image(subject, choices.image)
        problem = parts.problem
        excess = limits.of_problems.excess(edges=problem.num_edges)
        if excess is not None:
            raise VisitorError(f"{excess}; ask for fewer superpixels")
    names = [choices.solver] + ([choices.other] if choices.other else [])
    results = []
    for number, name in enumerate(names):
        start, share = number / len(names), 1 / len(names)

        def tell(done: float, words: str, start: float = start, share: float = share) -> None:
            report(start + share * done, words)

        report(start, f"solving with {name}")
        results.append(_solve_within(problem, name, seconds, most, choices.seed, tell))
    if choices.bound and not any(result.optimal for result in results):
        limit = _SHARE_OF_BOUND * (most if seconds is None else seconds)
        bounds = [_bound_within(problem, limit, report)]
    else:
        bounds = []
    bounds += [result.lower_bound for result in results if result.lower_bound is not None]
    results = [_bounded(problem, result, bounds) for result in results]
    return Solved(
        subject,
        problem,
        tuple(results),
        tuple(
            name if name == result.solver else f"{name} \N{RIGHTWARDS ARROW} {result.solver}"
            for name, result in zip(names, results, strict=True)
        ),
        () if parts is None else tuple(_segmented(parts, found) for found in results),
    )


def _solve_within(
    problem: Problem,
    name: str,
    seconds: float | None,
    most: float,
    seed: int,
    tell: Report,
) -> Result:
    """Solve a problem as the command line does, but end it after the `most` seconds allowed."""
    expected = most if seconds is None else seconds

    def watch(progress: Progress) -> bool:
        done = min(progress.elapsed / expected, 1.0) if expected > 0 else 1.0
        tell(done, f"{name}: objective {progress.objective:,.6g}")
        # A solver that is told a limit uses all of it; the one of the server is not to be used up.
        return progress.elapsed > most

    result = solve(problem, name, seconds, seed, callback=watch)
    stopped_by = "time_limit" if result.stopped_by == "callback" else result.stopped_by
    return replace(
        result, stopped_by=stopped_by, runtime=result.runtime - _seconds_of_bound(result)
    )


def _seconds_of_bound(result: Result) -> float:
    """Return the seconds that a solver of several stages spent on a lower bound of its own."""
    stages = result.details.get("seconds", {})
    return float(stages.get("bound", 0.0)) if isinstance(stages, dict) else 0.0


def _bound_within(problem: Problem, seconds: float, report: Report) -> float:
    start = time.perf_counter()

    def watch(lower_bound: float, _: float) -> bool:
        done = (time.perf_counter() - start) / seconds if seconds > 0 else 1.0
        report(min(done, 1.0), f"lower bound {lower_bound:,.6g}")
        return False

    report(0.0, "computing a lower bound")
    return bound_from_below(problem, Stop(seconds), watch)[0]


def _bounded(problem: Problem, result: Result, bounds: Sequence[float]) -> Result:
    """Return a result with the best of the bounds, whoever found it."""
    if not bounds:
        return result
    return replace(result, lower_bound=certify(problem, result.objective, max(bounds)))


def _segmented(parts: RegionProblem, result: Result) -> Segmentation:
    from multicut.vision import Segmentation

    return Segmentation(parts.image, parts.superpixels, parts.graph, parts.problem, result)
