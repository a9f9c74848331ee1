"""``multicut bench solvers``: our solvers and those of another package on the same graphs."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multicut.cli.arguments import check_data, data_option, make_folder
from multicut.cli.bench.finish import beside_peer, finish
from multicut.cli.bench.options import Quick, WithPeer
from multicut.cli.bench.sizes import parse_sizes
from multicut.cli.console import errors

if TYPE_CHECKING:
    from rich.table import Table

    from multicut.benchmark import Report


def bench_solvers(
    context: typer.Context,
    quick: Quick = False,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="N,…",
            help="Numbers of nodes of the random graphs, separated by commas.",
        ),
    ] = None,
    solver: Annotated[
        list[str] | None,
        typer.Option("--solver", "-s", metavar="NAME", help="Only this solver; repeatable."),
    ] = None,
    data: Annotated[
        Path | None,
        data_option("Folder with em/*.npz and bsds/*.npz."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="Write solvers.md and solvers.json there."),
    ] = None,
    peer: WithPeer = True,
) -> None:
    """Time our solvers and those of bioimage-cpp on the same graphs in the same process."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from multicut.benchmark import (
        CONTESTS,
        Report,
        list_instance_sets,
        plan_runs,
        run_benchmark,
        write_report,
    )
    from multicut.benchmark.instances import DEFAULT_SIZES, QUICK_SIZES
    from multicut.solvers import get_solver

    for name in solver or []:
        if get_solver(name).name not in CONTESTS:
            known = ", ".join(CONTESTS)
            raise ValueError(
                f"--solver {name} has no counterpart in the other package; choose from: {known}"
            )
    chosen = parse_sizes(sizes) if sizes else QUICK_SIZES if quick else DEFAULT_SIZES
    sets = list_instance_sets(chosen, check_data(data), num_small=5 if quick else 200)
    plan = plan_runs(sets, solver)
    if folder is not None:
        make_folder(folder, "--output")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    rows = []
    console = errors()
    with Progress(
        *columns,
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        task = progress.add_task("", total=sum(len(contests) for _, contests in plan))
        measured = run_benchmark(
            plan,
            with_peer=peer,
            budget=0.2 if quick else 12.0,
            with_memory=not quick,
            report=lambda text: progress.update(task, description=text),
            warn=lambda text: console.print(
                f"warning: {text}", markup=False, highlight=False, soft_wrap=True
            ),
        )
        interrupted = False
        try:
            for row in measured:
                rows.append(row)
                progress.advance(task)
        except KeyboardInterrupt:
            interrupted = True
    report = Report.of(rows, context.obj["command"])
    finish(_as_table(report), folder, partial(write_report, report), interrupted=interrupted)


def _as_table(report: Report) -> Table:
    from multicut.benchmark.report import SCREEN_COLUMNS

    result = beside_peer(report.environment, SCREEN_COLUMNS)
    result.columns[0].no_wrap = True
    last = None
    for texts in report.cells():
        if last not in (None, texts["instances"]):
            result.add_section()
        last = texts["instances"]
        result.add_row(*(texts[column] for column in SCREEN_COLUMNS))
    return result
