"""From what a visitor brought and chose to results."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from multicut.app.failures import VisitorError
from multicut.app.segmenting import ImageChoices, segment_image
from multicut.app.subjects import MOST_EDGES_DRAWN, GraphSubject, Subject
from multicut.solve import solve
from multicut.solvers import get_solver, list_solvers

if TYPE_CHECKING:
    from multicut._arrays import FloatArray
    from multicut.app.limits import AppLimits
    from multicut.problem import Problem
    from multicut.result import Result
    from multicut.stop import Progress
    from multicut.vision import RegionProblem, Segmentation

#: Told what is going on: a share of the whole between 0 and 1, and a few words.
Report = Callable[[float, str], object]


@dataclass(frozen=True)
class Choices:
    """What a visitor chose.

    Attributes
    ----------
    solver, other
        The solver, and the one to compare it with, if any.
    time_limit
        Seconds for each solver; the server may allow less.
    bound
        Whether to compute a lower bound where the solver has none of its own.
    seed
        For solvers that draw random numbers.
    image
        How an image becomes a problem.
    """

    solver: str = "auto"
    other: str | None = None
    time_limit: float = 5.0
    bound: bool = True
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
        The result of each solver.
    segmentations
        The segmentation by each result, for an image; they share superpixels and region graph.
    """

    subject: Subject
    problem: Problem
    results: tuple[Result, ...]
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
        rows, columns = centres.T
        return np.stack([columns, -rows], axis=1)


def offered_solvers() -> list[str]:
    """Name the solvers that run here without options."""
    return [record.name for record in list_solvers() if record.is_ready()]


def describe_solver(name: str | None) -> str:
    """Say in one line what a solver does; nothing of one that is not offered."""
    return get_solver(name).description if name in offered_solvers() else ""


def solve_subject(
    subject: Subject, choices: Choices, limits: AppLimits, report: Report = lambda *_: None
) -> Solved:
    """Solve what a visitor brought, with one solver or with two."""
    seconds = limits.seconds(choices.time_limit)
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

        def tell(
            progress: Progress, name: str = name, start: float = start, share: float = share
        ) -> bool:
            done = min(progress.elapsed / seconds, 1.0) if seconds > 0 else 1.0
            report(start + share * done, f"{name}: objective {progress.objective:,.6g}")
            return False

        report(start, f"solving with {name}")
        results.append(
            solve(problem, name, seconds, choices.seed, callback=tell, bound=choices.bound)
        )
    segmentations = () if parts is None else tuple(_segmented(parts, found) for found in results)
    return Solved(subject, problem, tuple(results), segmentations)


def _segmented(parts: RegionProblem, result: Result) -> Segmentation:
    from multicut.vision import Segmentation

    return Segmentation(parts.image, parts.superpixels, parts.graph, parts.problem, result)
