"""Every solver on every example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut.solve import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from multicut.demo.instances import Example
    from multicut.problem import Problem
    from multicut.result import Result


@dataclass(frozen=True, eq=False)
class Row:
    """What one solver made of one example."""

    example: Example
    solver: str
    results: tuple[Result, ...]

    @property
    def objective(self) -> float:
        """Sum over the problems of the example."""
        return sum(result.objective for result in self.results)

    @property
    def seconds(self) -> float:
        """Sum over the problems of the example."""
        return sum(result.runtime for result in self.results)

    @property
    def num_clusters(self) -> int:
        """Sum over the problems of the example."""
        return sum(result.num_clusters for result in self.results)


def compare(
    examples: Sequence[Example],
    solvers: Sequence[str],
    seed: int = 0,
    time_limit: float = 2.0,
    report: Callable[[str], object] = lambda _: None,
) -> list[Row]:
    """Solve each problem of each example with each solver.

    Parameters
    ----------
    examples, solvers
        What to solve, with which solvers.
    seed
        For the solvers.
    time_limit
        Seconds that one solver may take for one example.
    report
        Called before each run with what is about to happen.
    """
    rows = []
    for example in examples:
        for solver in solvers:
            report(f"{solver} on {example.name}")
            share = time_limit / len(example.problems)
            results = tuple(_solve(p, solver, share, seed) for p in example.problems)
            rows.append(Row(example, solver, results))
    return rows


def _solve(problem: Problem, solver: str, time_limit: float, seed: int) -> Result:
    result = solve(problem, solver, time_limit, seed)
    if result.stopped_by == "interrupt":
        raise KeyboardInterrupt
    return result


def best_of(rows: Iterable[Row], example: Example) -> Row:
    """Pick the row with the lowest objective on an example, the fastest of those that tie."""
    return min(
        (row for row in rows if row.example is example),
        key=lambda row: (row.objective, row.seconds),
    )
