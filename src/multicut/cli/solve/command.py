"""``multicut solve``: find a partition for the problem in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut._target import ending_of
from multicut._words import count
from multicut.cli.arguments import (
    Format,
    Instance,
    Json,
    ProblemFile,
    Seed,
    check_not_read,
    check_writable,
    input_of,
    name_of,
    parse_options,
    time_limit_option,
)
from multicut.cli.console import answer_block, count_parts, print_json, say, working
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.progress import progress_of
from multicut.cli.solve.many import (
    known_objectives,
    print_table,
    ratio_of,
    save_all,
    solve_all,
    summary_of,
)
from multicut.cli.solve.start import read_labels
from multicut.cli.solve.tables import TableOptions, is_table, solve_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from multicut.io import ProblemCollection
    from multicut.problem import Problem
    from multicut.result import Result

_PANEL = "Edge tables (Parquet)"
_RESULT_SUFFIXES = (".npy", ".csv", ".json")


def solve(
    file: ProblemFile,
    solver: Annotated[
        str, typer.Option("--solver", "-s", metavar="NAME", help="One of `multicut solvers`.")
    ] = "auto",
    time_limit: Annotated[
        float | None,
        time_limit_option("Stop after this many seconds; applies to each of several problems."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            "-m",
            metavar="NAME",
            help="The network: one of `multicut models`, a path, or a training run; it also "
            "chooses between the solvers gnn and learned.",
        ),
    ] = None,
    seed: Seed = 0,
    option: Annotated[
        list[str] | None,
        typer.Option("--option", metavar="KEY=VALUE", help="An option of the solver; repeatable."),
    ] = None,
    initial: Annotated[
        Path | None,
        typer.Option(
            "--initial",
            metavar="PATH",
            help="Start from labels that --output has saved: .npy, .csv or .json.",
        ),
    ] = None,
    bound: Annotated[
        bool,
        typer.Option(
            "--bound", "-b", help="Also compute a lower bound, which shows how good the result is."
        ),
    ] = False,
    instance: Instance = None,
    format_name: Format = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="Save labels: .npy, .csv or .json; .parquet for an edge table.",
        ),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            "--cluster",
            metavar="ADDRESS",
            help="Use this Dask cluster, such as tcp://host:8786.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            help="Processes on this machine; by default one for each processor.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    memory: Annotated[
        str | None,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="Memory of each of these processes, such as 2GiB.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    blocks: Annotated[
        str | None,
        typer.Option(
            "--blocks",
            metavar="BLOCKS",
            help="How many blocks; a Parquet file with columns node, block; or `stream`, to find "
            "them by reading the edges.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    coordinates: Annotated[
        Path | None,
        typer.Option(
            "--coordinates",
            metavar="FILE",
            help="Parquet file with columns node, x, y and maybe z; blocks are regions of space.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace",
            metavar="DIR",
            help="Folder for intermediate files; by default beside the output.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            metavar="N",
            help="Rounds of the search for the bound, by default 2; more make it tighter.",
            rich_help_panel=_PANEL,
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Solve the problem, or all problems, in FILE and print the result.

    For several problems, such as those of a dataset, it prints a table; --instance chooses one.
    Ctrl-C stops the solver; its best solution so far is printed and saved.

    If FILE is an edge table, a Parquet file with columns u, v and cost or a folder of these, it is
    solved block by block, in little memory. The same command resumes if that is stopped or killed.
    """
    import multicut as mc
    from multicut.io import open_file
    from multicut.solve import check_can_start
    from multicut.solvers import get_solver

    # Mistakes in the arguments come to light before a large file is read.
    options = parse_options(option or [])
    if model is not None:
        solver = _solver_for(model, solver, options)
    get_solver(solver).parse_options(options)
    table = TableOptions(cluster, workers, memory, blocks, coordinates, workspace, rounds)
    if is_table(file):
        _refuse_for_tables(initial=initial, instance=instance, format=format_name)
        solve_table(
            file,
            table,
            solver=solver,
            time_limit=time_limit,
            seed=seed,
            options=options,
            bound=bound,
            output=output,
            as_json=as_json,
        )
        return
    table.check_none()
    if initial is not None:
        if "initial" in options:
            raise ValueError("--initial and --option initial: use only one of them")
        check_can_start(get_solver(solver))
    if output is not None:
        check_writable(output, "--output", _RESULT_SUFFIXES)
        check_not_read(output, "--output", file)

    with working(f"reading {name_of(file)}"):
        problems = open_file(input_of(file), format_name)
        is_one = instance is not None or len(problems) <= 1
        problem = problems[problems.choose(instance)] if is_one else None
    if initial is not None:
        if problem is None:
            raise ValueError("--initial needs one problem; choose one with --instance")
        options["initial"] = read_labels(initial, problem)
    limit = "" if time_limit is None else f", at most {time_limit:g} s"
    if problem is None:
        if output is not None and ending_of(output) == ".npy":
            raise ValueError(
                f"--output {output}: .npy holds labels of one problem, {file} holds "
                f"{len(problems):,}; use .csv or .json, or choose one with --instance"
            )
        say(f"Read {name_of(file)}: {count(len(problems), 'problem')}.", quiet=as_json)
        say(f"Solving each with {solver}, seed {seed}{limit}.", quiet=as_json)
        _solve_many(
            file,
            problems,
            lambda one: mc.solve(one, solver, time_limit, seed, bound=bound, **options),
            output,
            as_json=as_json,
        )
        return
    say(f"Read {name_of(file)}: {count_parts(problem)}.", quiet=as_json)
    say(f"Solving with {solver}, seed {seed}{limit}.", quiet=as_json)
    with progress_of(solver, shown=not as_json) as callback:
        result = mc.solve(problem, solver, time_limit, seed, callback, bound=bound, **options)
    # Printed first: whatever happens to the file, hours of work are not lost without a trace.
    known = getattr(problem, "objective", None)
    if as_json:
        document: dict[str, Any] = {
            "file": name_of(file),
            "output": str(output) if output else None,
        }
        if known is not None:
            ratio = ratio_of(result.objective, known)
            document |= {"known_objective": known, "ratio": ratio}
        print_json(document | result.to_dict())
    else:
        rows = result.rows()
        if known is not None:
            ratio = ratio_of(result.objective, known)
            rows["known"] = f"{known:,.10g} in the dataset; ratio to it {ratio:.5f}"
        answer_block(rows)
    if output is not None:
        result.save(output)
        say(f"Labels written to {output}.", quiet=as_json)
    if result.stopped_by == "interrupt":
        raise InterruptedCommandError("this is the best solution so far")


def _refuse_for_tables(**options: object) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"--{name} is not for edge tables; leave it out")


def _solver_for(model: str, solver: str, options: dict[str, Any]) -> str:
    """Put a model into the options and return the solver that uses it."""
    from multicut.models.registry import find_model
    from multicut.solvers import get_solver

    if "model" in options:
        raise ValueError("--model and --option model: use only one of them")
    record = find_model(model)
    if solver == "auto":
        solver = record.solver
        if solver == "learned":
            # By default it asks its network on a GPU only; here one was named.
            options.setdefault("use_network", True)
    elif "model" not in get_solver(solver).option_defaults:
        raise ValueError(f"--model {model}: solver {solver!r} uses no network; use gnn or learned")
    options["model"] = model
    return solver


def _solve_many(
    file: Path,
    problems: ProblemCollection,
    solve_one: Callable[[Problem], Result],
    output: Path | None,
    *,
    as_json: bool,
) -> None:
    """Solve all problems of a file or a folder; print and save what was found."""
    known = known_objectives(file, problems)
    solved = solve_all(problems, solve_one, known, shown=not as_json)
    if as_json:
        print_json(
            {
                "file": name_of(file),
                "output": str(output) if output else None,
                "problems": [one.to_dict() for one in solved],
                "summary": summary_of(solved),
            }
        )
    else:
        print_table(solved)
    if output is not None:
        save_all(solved, output)
        say(f"Labels written to {output}.", quiet=as_json)
    if solved[-1].result.stopped_by == "interrupt":
        raise InterruptedCommandError(
            f"solved {len(solved):,} of {count(len(problems), 'problem')}, the last one in part"
        )
