"""Comparison of all solvers on all examples."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut.problem import Problem
from multicut.solve import solve, solve_batch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from multicut.demo.entrants import Entrant
    from multicut.demo.instances import Example
    from multicut.result import Result

_PAIR = Problem([[0, 1]], [1.0])


@dataclass(frozen=True, eq=False)
class Row:
    """What one solver made of one example."""

    example: Example
    entrant: Entrant
    results: tuple[Result, ...]

    @property
    def solver(self) -> str:
        """The name of the entrant."""
        return self.entrant.name

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

    @property
    def remark(self) -> str:
        """Which stages found the partitions, and whether a limit ended the search.

        Numbers are those of problems, where not all are alike: ``fusion 9, gaec 1; no network``.
        """
        stages = [_stage_of(self.entrant, result) for result in self.results]
        parts = [_count_each([stage or self.solver for stage in stages])] if any(stages) else []
        signs = {
            "no network": [_is_without_network(result) for result in self.results],
            "stopped": [result.stopped_by == "time_limit" for result in self.results],
        }
        for sign, applies in signs.items():
            if any(applies):
                parts.append(sign if all(applies) else f"{sum(applies)} {sign}")
        return "; ".join(parts)


def _stage_of(entrant: Entrant, result: Result) -> str:
    """Return which stage or solver found a partition, if it was not the entrant as a whole."""
    found_by = result.details.get("found_by")
    if found_by is not None:
        return str(found_by)
    return "" if result.solver == entrant.solver else result.solver


def _is_without_network(result: Result) -> bool:
    return str(result.details.get("network", "")).startswith("not used")


def _count_each(words: Sequence[str]) -> str:
    counts = Counter(words)
    if len(counts) == 1:
        return words[0]
    return ", ".join(f"{word} {number}" for word, number in counts.most_common())


def compare(
    examples: Sequence[Example],
    entrants: Sequence[Entrant],
    seed: int = 0,
    report: Callable[[str], object] = lambda _: None,
) -> list[Row]:
    """Solve each problem of each example with each solver.

    Parameters
    ----------
    examples, entrants
        What to solve, with which solvers.
    seed
        For the solvers.
    report
        Called before each run with what is about to happen.
    """
    rows = []
    for example in examples:
        for entrant in entrants:
            report(f"{entrant.name} on {example.name}")
            results = _solve_together if entrant.has_network else _solve_each
            rows.append(Row(example, entrant, tuple(results(example, entrant, seed))))
            if any(result.stopped_by == "interrupt" for result in rows[-1].results):
                raise KeyboardInterrupt
    return rows


def load_networks(entrants: Iterable[Entrant]) -> int:
    """Load torch and the models, let their libraries initialise themselves; return their number."""
    with_network = [entrant for entrant in entrants if entrant.has_network]
    for entrant in with_network:
        solve_batch([_PAIR], entrant.solver, **entrant.options)
    return len(with_network)


def _solve_together(example: Example, entrant: Entrant, seed: int) -> list[Result]:
    return solve_batch(example.problems, entrant.solver, entrant.seconds, seed, **entrant.options)


def _solve_each(example: Example, entrant: Entrant, seed: int) -> list[Result]:
    share = entrant.seconds / len(example.problems)
    results: list[Result] = []
    for problem in example.problems:
        results.append(solve(problem, entrant.solver, share, seed, **entrant.options))
        if results[-1].stopped_by == "interrupt":
            break
    return results


def best_of(rows: Iterable[Row], example: Example) -> Row:
    """Pick the row with the lowest objective on an example, the fastest of those that tie."""
    return min(
        (row for row in rows if row.example is example),
        key=lambda row: (row.objective, row.seconds),
    )
