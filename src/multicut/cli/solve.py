"""``multicut solve``: find a partition for the problem in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import (
    Format,
    Instance,
    Json,
    ProblemFile,
    Seed,
    check_writable,
    input_of,
    name_of,
    parse_options,
    parse_seconds,
)
from multicut.cli.console import answer_block, count_parts, print_json, say, working
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.progress import progress_of

_RESULT_SUFFIXES = (".npy", ".csv", ".json")


def solve(
    file: ProblemFile,
    solver: Annotated[
        str, typer.Option("--solver", "-s", metavar="NAME", help="One of `multicut solvers`.")
    ] = "auto",
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "-t",
            metavar="S",
            parser=parse_seconds,
            help="Stop after so many seconds.",
        ),
    ] = None,
    seed: Seed = 0,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="An option of the solver; repeatable."),
    ] = None,
    bound: Annotated[
        bool,
        typer.Option("--bound", "-b", help="Compute a lower bound, too: how good is the result?"),
    ] = False,
    instance: Instance = None,
    format_name: Format = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="PATH", help="Save labels: .npy, .csv or .json."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve the problem in FILE and print what was found.

    Ctrl-C stops the solver; its best solution so far is printed and saved.
    """
    import multicut as mc
    from multicut.io import read
    from multicut.solvers import get_solver

    # Mistakes in the arguments come to light before a large file is read.
    options = parse_options(option or [])
    get_solver(solver).parse_options(options)
    if output is not None:
        check_writable(output, "--output", _RESULT_SUFFIXES)

    with working(f"reading {name_of(file)}"):
        problem = read(input_of(file), format=format_name, instance=instance)
    say(f"Read {name_of(file)}: {count_parts(problem)}.", quiet=as_json)
    limit = "" if time_limit is None else f", at most {time_limit:g} s"
    say(f"Solving with {solver}, seed {seed}{limit}.", quiet=as_json)
    with progress_of(solver, shown=not as_json) as callback:
        result = mc.solve(problem, solver, time_limit, seed, callback, bound=bound, **options)
    # Printed first: whatever happens to the file, hours of work are not lost without a trace.
    if as_json:
        document = {"file": name_of(file), "output": str(output) if output else None}
        print_json(document | result.to_dict())
    else:
        answer_block(result.rows())
    if output is not None:
        result.save(output)
        say(f"Labels written to {output}.", quiet=as_json)
    if result.stopped_by == "interrupt":
        raise InterruptedCommandError("this is the best solution so far")
