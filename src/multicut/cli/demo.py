"""``multicut demo``: a first look, in seconds."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multicut._words import count
from multicut.cli.arguments import Seed, check_writable
from multicut.cli.console import answer_lines, errors, output, say, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from multicut.demo import Row

_PICTURE_SUFFIXES = (".png", ".pdf", ".svg", ".jpg")
# Of these columns and their content; the remark has the rest of 80, which is 24.
_WIDTHS = {"solver": 15, "objective": 9, "ratio": 7, "ms": 5, "clusters": 8}
_DECIMALS_BELOW = 100


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
        num_networks = load_networks(entrants)
        if num_networks:
            seconds = time.perf_counter() - start
            say(f"Loaded torch and {count(num_networks, 'network')} in {seconds:.1f} s.")
        status.update("making problems")
        examples = make_examples(seed)
        rows = compare(examples, entrants, seed, report=status.update)
        status.update("drawing")
        draw_picture(rows, examples, picture)
    for example in examples:
        output().print(_comparison([row for row in rows if row.example is example]))
    answer_lines("Ratio: objective divided by the best one of the table; 1 is best.")
    answer_lines(
        "Remark: which stage found the partition, and for how many problems if there are several."
    )
    answer_lines(
        f"A solver has {SECONDS:g} s for each kind of problem, and networks have no limit. "
        "On a CPU `learned` does not use its network; the row `network` shows the network alone."
    )
    say(f"The figure is in {picture}. Total time: {time.perf_counter() - start:.1f} s.")


def _comparison(rows: Sequence[Row]) -> Table:
    """Return a table of all solvers on one example; tables of several have equal columns."""
    result = table(rows[0].example.name, *_WIDTHS, "remark", left=("solver", "remark"))
    for column, width in zip(result.columns, _WIDTHS.values(), strict=False):
        column.no_wrap, column.min_width = True, width
    best = min(row.objective for row in rows)
    for row in rows:
        ratio = row.objective / best if best else 1.0
        milliseconds = 1000 * row.seconds
        result.add_row(
            row.solver,
            f"{row.objective:,.1f}",
            f"[bold]{ratio:.5f}[/]" if row.objective == best else f"{ratio:.5f}",
            f"{milliseconds:.1f}" if milliseconds < _DECIMALS_BELOW else f"{milliseconds:,.0f}",
            f"{row.num_clusters:,}",
            row.remark,
        )
    return result
