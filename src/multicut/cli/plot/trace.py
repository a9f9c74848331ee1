"""``multicut plot trace``."""

from __future__ import annotations

from typing import Annotated

import typer

from multicut.cli.arguments import Format, Instance, ProblemFile, Seed, time_limit_option
from multicut.cli.console import say, working
from multicut.cli.plot.arguments import (
    Picture,
    check_picture,
    new_figure,
    read_problem,
    save_figure,
)


def plot_trace_command(
    file: ProblemFile,
    picture: Picture,
    solver: Annotated[
        str,
        typer.Option("--solver", "-s", metavar="NAME,…", help="Solvers, separated by commas."),
    ] = "gaec,klj,fusion",
    time_limit: Annotated[
        float,
        time_limit_option("Stop each solver after this many seconds."),
    ] = 30.0,
    bound: Annotated[
        bool, typer.Option("--bound", "-b", help="Also compute a lower bound, for the last solver.")
    ] = False,
    seed: Seed = 0,
    instance: Instance = None,
    format_name: Format = None,
) -> None:
    """Solve the problem in FILE with one or more solvers and draw objective and bound over time."""
    check_picture(picture, file)
    import multicut as mc
    from multicut.plotting import plot_trace
    from multicut.solvers import get_solver

    names = [get_solver(name.strip()).name for name in solver.split(",")]
    if len(set(names)) < len(names):
        raise ValueError(f"--solver {solver}: each solver once")
    problem = read_problem(file, format_name, instance)
    results = {}
    for name in names:
        with working(f"solving with {name}"):
            with_bound = bound and name == names[-1]
            results[name] = mc.solve(problem, name, time_limit, seed, bound=with_bound)
    with working("drawing"):
        figure, ax = new_figure(6.4, 4.2)
        plot_trace(results, ax)
        save_figure(figure, picture)
    best = min(results, key=lambda name: results[name].objective)
    say(f"Drawn to {picture}; the best is {best} with {results[best].objective:,.10g}.")
