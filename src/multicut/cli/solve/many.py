"""``multicut solve`` of a dataset: all problems, one after the other, in one table."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import ending_of, write_whole
from multicut._words import count
from multicut.cli.console import answer, errors, output, table

if TYPE_CHECKING:
    from multicut.io import ProblemCollection
    from multicut.problem import Problem
    from multicut.result import Result

# A table of more rows is for programs, which read --json.
_MOST_ROWS = 50


@dataclass(frozen=True)
class Solved:
    """One problem with its result, and the known objective, if any."""

    name: str
    result: Result
    known: float | None

    @property
    def ratio(self) -> float | None:
        """The objective divided by the known one; 1 is as good, None if none is known."""
        return None if self.known is None else ratio_of(self.result.objective, self.known)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        known = {"name": self.name, "known_objective": self.known, "ratio": self.ratio}
        return known | self.result.to_dict()


def ratio_of(objective: float, known: float) -> float:
    """Return the ratio of an objective to the known one."""
    from multicut.benchmark.ratios import objective_ratios

    return float(objective_ratios(objective, known))


def known_objectives(file: Path, problems: ProblemCollection) -> Mapping[str, float]:
    """Return the optima that an archive of many problems states, by the names of its problems."""
    import math

    from multicut.datasets import read_file

    if problems.format_name != "npz" or not file.is_file():
        return {}
    dataset = read_file(file)
    pairs = zip(dataset.names, dataset.objective.tolist(), strict=True)
    return {name: value for name, value in pairs if not math.isnan(value)}


def solve_all(
    problems: ProblemCollection,
    solve_one: Callable[[Problem], Result],
    known: Mapping[str, float],
    *,
    shown: bool,
) -> list[Solved]:
    """Solve all problems, until Ctrl-C."""
    solved: list[Solved] = []
    with _progress(len(problems), shown=shown) as show:
        for name in problems:
            problem = problems[name]
            result = solve_one(problem)
            solved.append(
                Solved(name, result, known.get(name, getattr(problem, "objective", None)))
            )
            if result.stopped_by == "interrupt":
                break
            show(len(solved), name)
    return solved


def print_table(solved: Sequence[Solved]) -> None:
    """Print one row for each problem, and one for all of them."""
    has_ratio = any(one.known is not None for one in solved)
    has_bound = any(one.result.lower_bound is not None for one in solved)
    columns = ["problem", "nodes", "edges", "objective"]
    columns += ["ratio"] * has_ratio + ["gap"] * has_bound + ["clusters", "seconds"]
    listing = table(None, *columns, left=("problem",))
    for column in listing.columns[1:]:
        column.no_wrap = True
    for one in solved[:_MOST_ROWS]:
        listing.add_row(*_cells(one, has_ratio, has_bound))
    if len(solved) > _MOST_ROWS:
        listing.add_row("…", *[""] * (len(columns) - 1))
    listing.add_section()
    total = summary_of(solved)
    ratio = total["mean_ratio"]
    listing.add_row(
        f"[bold]all {len(solved):,}[/]",
        f"{total['num_nodes']:,}",
        f"{total['num_edges']:,}",
        f"{total['objective']:,.6g}",
        *([] if not has_ratio else ["-" if ratio is None else f"[bold]{ratio:.5f}[/]"]),
        *[f"{total['num_optimal']:,} of {len(solved):,}"] * has_bound,
        f"{total['num_clusters']:,}",
        f"{total['runtime']:,.3f}",
    )
    output().print(listing)
    if has_ratio:
        answer("Ratio: objective divided by that of the dataset; in the last row the mean.")
    if len(solved) > _MOST_ROWS:
        answer(f"The first {_MOST_ROWS} of {count(len(solved), 'problem')}; --json prints all.")


def summary_of(solved: Sequence[Solved]) -> dict[str, Any]:
    """Return sums over all problems, and the mean ratio."""
    results = [one.result for one in solved]
    ratios = [one.ratio for one in solved if one.ratio is not None]
    return {
        "num_problems": len(solved),
        "num_nodes": sum(len(result.labels) for result in results),
        "num_edges": sum(len(result.cut) for result in results),
        "objective": sum(result.objective for result in results),
        "mean_ratio": sum(ratios) / len(ratios) if ratios else None,
        "num_optimal": sum(result.optimal for result in results),
        "num_clusters": sum(result.num_clusters for result in results),
        "runtime": sum(result.runtime for result in results),
    }


def save_all(solved: Sequence[Solved], path: Path) -> None:
    """Write all results to one file: ``.csv`` (problem, node, label) or ``.json`` (everything)."""
    if ending_of(path) == ".csv":
        text = io.StringIO(newline="")
        writer = csv.writer(text)
        writer.writerow(["problem", "node", "label"])
        for one in solved:
            writer.writerows((one.name, *pair) for pair in one.result.by_id().items())
        content = text.getvalue()
    else:
        entries = [one.to_dict() | json.loads(one.result.to_json()) for one in solved]
        content = json.dumps({"problems": entries}, allow_nan=False) + "\n"
    write_whole(path, content)


def _cells(one: Solved, has_ratio: bool, has_bound: bool) -> list[str]:
    from rich.markup import escape

    result = one.result
    cells = [escape(one.name), f"{len(result.labels):,}", f"{len(result.cut):,}"]
    cells.append(f"{result.objective:,.6g}")
    if has_ratio:
        cells.append("-" if one.ratio is None else f"{one.ratio:.5f}")
    if has_bound:
        gap = "-" if result.gap is None else f"{result.gap:.3%}"
        cells.append("optimal" if result.optimal else gap)
    return [*cells, f"{result.num_clusters:,}", f"{result.runtime:.3f}"]


@contextmanager
def _progress(total: int, *, shown: bool) -> Iterator[Callable[[int, str], None]]:
    """Show how many problems are solved, on a terminal only."""
    console = errors()
    if not shown or not console.is_terminal:
        yield lambda *_: None
        return
    from rich.markup import escape
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("solving", total=total)
        yield lambda done, name: progress.update(task, completed=done, description=escape(name))
