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
    from multicut.demo import (
        SECONDS,
        compare,
        draw_picture,
        list_entrants,
        load_networks,
        make_examples,
    )

    start = time.perf_counter()
    entrants = list_entrants()
    names = [entrant.name for entrant in entrants]
    say(f"Solving a few problems with {count(len(names), 'solver')}: {', '.join(names)}.")
    with errors().status("loading torch") as status:
        load_networks(entrants)
        say(f"Loaded torch and two networks in {time.perf_counter() - start:.1f} s.")
        status.update("making problems")
        examples = make_examples(seed)
        rows = compare(examples, entrants, seed, report=status.update)
        status.update("drawing")
        draw_picture(rows, examples, picture)
    output().print(_comparison(rows, examples))
    answer("Ratio: objective divided by the best one of the table; 1 is best.")
    answer(
        f"A solver has {SECONDS:g} s for each kind of problem, and a network as long as it takes. "
        "On a CPU `learned` does without its network; `network` is what that finds by itself."
    )
    say(f"The picture is in {picture}. All this took {time.perf_counter() - start:.1f} s.")


def _comparison(rows: Sequence[Row], examples: Sequence[Example]) -> Table:
    columns = ("problem", "solver", "objective", "ratio", "ms", "clusters", "remark")
    result = table(None, *columns, left=("problem", "solver", "remark"))
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
                row.remark,
            )
        result.add_section()
    return result
