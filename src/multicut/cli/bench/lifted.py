"""``multicut bench lifted``: lifted multicuts and agglomeration, beside another package."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import make_folder
from multicut.cli.bench.finish import beside_peer, finish
from multicut.cli.bench.options import Quick, WithPeer
from multicut.cli.bench.sizes import parse_sizes
from multicut.cli.console import errors


def bench_lifted(
    context: typer.Context,
    quick: Quick = False,
    sizes: Annotated[
        str | None,
        typer.Option(
            "--sizes",
            metavar="N,…",
            help="Numbers of edges, lifted ones included, separated by commas; by default "
            "1e4,1e5,1e6.",
        ),
    ] = None,
    solver: Annotated[
        list[str] | None,
        typer.Option(
            "--solver", "-s", metavar="NAME", help="Only this contest, such as klj; repeatable."
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--output", metavar="DIR", help="Write lifted.md and lifted.json there."),
    ] = None,
    peer: WithPeer = True,
) -> None:
    """Time lifted solvers, signed agglomeration and mutex watersheds beside bioimage-cpp."""
    from multicut.benchmark.lifted import (
        CONTESTS,
        LiftedReport,
        LiftedRow,
        list_lifted_sets,
        plan_lifted_runs,
        run_lifted_benchmark,
        write_lifted_report,
    )
    from multicut.benchmark.lifted.instances import DEFAULT_SIZES, QUICK_SIZES
    from multicut.benchmark.lifted.report import COLUMNS

    for name in solver or []:
        if name not in CONTESTS:
            raise ValueError(f"--solver {name} is unknown; choose from: {', '.join(CONTESTS)}")
    chosen = parse_sizes(sizes) if sizes else QUICK_SIZES if quick else DEFAULT_SIZES
    plan = plan_lifted_runs(list_lifted_sets(chosen), solver)
    if folder is not None:
        make_folder(folder, "--output")
    rows: list[LiftedRow] = []
    interrupted = False
    console = errors()
    with console.status("") as status:
        measured = run_lifted_benchmark(
            plan,
            with_peer=peer,
            budget=0.2 if quick else 6.0,
            report=status.update if console.is_terminal else lambda _: None,
        )
        try:
            rows.extend(measured)
        except KeyboardInterrupt:
            interrupted = True
    report = LiftedReport.of(rows, context.obj["command"])
    shown = beside_peer(report.environment, COLUMNS)
    for cells in report.cells():
        shown.add_row(*cells)
    finish(shown, folder, partial(write_lifted_report, report), interrupted=interrupted)
