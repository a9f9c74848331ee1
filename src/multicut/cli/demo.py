"""``multicut demo``: a first look, in seconds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multicut._words import count
from multicut.cli.arguments import Seed, check_writable
from multicut.cli.console import answer, errors, output, say, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from multicut.demo import Example, Row

_PICTURE_SUFFIXES = (".png", ".pdf", ".svg", ".jpg")


def demo(
    picture: Annotated[
        Path, typer.Option("--picture", metavar="PATH", help="Where to save the picture.")
    ] = Path("demo.png"),
    seed: Seed = 0,
) -> None:
    """Solve a few problems with every solver; print a table and save a picture."""
    check_writable(picture, "--picture", _PICTURE_SUFFIXES)
    from multicut.demo import compare, draw_picture, make_examples
    from multicut.solvers import list_solvers

    start = time.perf_counter()
    names = [record.name for record in list_solvers() if record.is_ready()]
    say(f"Solving a few problems with {count(len(names), 'solver')}: {', '.join(names)}.")
    with errors().status("making problems") as status:
        examples = make_examples(seed)
        rows = compare(examples, names, seed, report=status.update)
        status.update("drawing")
        draw_picture(rows, examples, picture)
    output().print(_comparison(rows, examples))
    answer("Ratio: objective divided by the best one of the table; 1 is best.")
    say(f"The picture is in {picture}. All this took {time.perf_counter() - start:.1f} s.")


def _comparison(rows: Sequence[Row], examples: Sequence[Example]) -> Table:
    columns = ("problem", "solver", "objective", "ratio", "ms", "clusters")
    result = table(None, *columns, left=("problem", "solver"))
    for example in examples:
        group = [row for row in rows if row.example is example]
        best = min(row.objective for row in group)
        for row in group:
            ratio = row.objective / best if best else 1.0
            result.add_row(
                example.name if row is group[0] else "",
                row.solver,
                f"{row.objective:,.3f}",
                f"[bold]{ratio:.5f}[/]" if row.objective == best else f"{ratio:.5f}",
                f"{1000 * row.seconds:,.1f}",
                f"{row.num_clusters:,}",
            )
        result.add_section()
    return result
