"""``multicut plot problem`` and ``multicut plot solution``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from multicut._words import count
from multicut.cli.arguments import Format, Instance, ProblemFile, Seed, time_limit_option
from multicut.cli.console import say, working
from multicut.cli.plot.arguments import (
    Picture,
    Positions,
    check_picture,
    find_positions,
    new_figure,
    read_problem,
    save_figure,
)


def plot_problem_command(
    file: ProblemFile,
    picture: Picture,
    positions: Positions = None,
    seed: Seed = 0,
    instance: Instance = None,
    format_name: Format = None,
) -> None:
    """Draw the problem in FILE: blue edges attract, red edges repel, wide ones more strongly."""
    check_picture(picture, file, positions)
    from multicut.plotting import plot_problem

    problem = read_problem(file, format_name, instance)
    points = find_positions(problem, positions, seed)
    with working("drawing"):
        figure, ax = new_figure(6, 6)
        plot_problem(problem, points, ax)
        save_figure(figure, picture)
    say(f"Drawn to {picture}.")


def plot_solution_command(
    file: ProblemFile,
    picture: Picture,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", metavar="FILE", help="Labels that `multicut solve -o` wrote."),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option("--solver", "-s", metavar="NAME", help="The solver to run; by default auto."),
    ] = None,
    time_limit: Annotated[
        float | None,
        time_limit_option("Stop the solver after this many seconds."),
    ] = None,
    positions: Positions = None,
    seed: Seed = 0,
    instance: Instance = None,
    format_name: Format = None,
) -> None:
    """Draw a solution of the problem in FILE: clusters in colours, cut edges grey."""
    check_picture(picture, file, labels, positions)
    import multicut as mc
    from multicut.cli.plot.labels import read_labels
    from multicut.plotting import plot_solution
    from multicut.solvers import get_solver

    if labels is not None and (solver is not None or time_limit is not None):
        raise ValueError("--labels and --solver: use only one of them")
    chosen = get_solver(solver or "auto").name
    problem = read_problem(file, format_name, instance)
    if labels is not None:
        found = read_labels(labels, problem)
        cost = mc.objective(problem, found)
        num_clusters = len(set(found.tolist()))
    else:
        with working(f"solving with {chosen}"):
            result = mc.solve(problem, chosen, time_limit, seed)
        found, cost, num_clusters = result.labels, result.objective, result.num_clusters
    points = find_positions(problem, positions, seed)
    with working("drawing"):
        figure, ax = new_figure(6, 6)
        plot_solution(problem, found, points, ax)
        save_figure(figure, picture)
    say(f"Drawn {count(num_clusters, 'cluster')}, objective {cost:,.10g}, to {picture}.")
