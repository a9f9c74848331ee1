"""``multicut train policy``: search for the constants of ``dual-greedy``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from multicut._words import count
from multicut.cli.arguments import Json, Seed, check_writable
from multicut.cli.console import answer_block, errors, output, print_json, say, table

if TYPE_CHECKING:
    from multicut.training import PolicySettings, SearchedPolicy


def train_policy(
    path: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="The policy to write: a .json.")
    ],
    budget: Annotated[
        float,
        typer.Option("--budget", metavar="X", help="Time budget, as a multiple of gaec's time."),
    ] = 4.0,
    family: Annotated[
        list[str] | None,
        typer.Option(
            "--family",
            metavar="NAME",
            help="Search on this generator or dataset; repeatable. By default on all generators.",
        ),
    ] = None,
    leave_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out",
            metavar="NAME",
            help="Only validate on this generator or dataset; repeatable.",
        ),
    ] = None,
    num: Annotated[
        int, typer.Option("--num", metavar="N", help="Graphs of each family to search on.")
    ] = 200,
    num_validation: Annotated[
        int, typer.Option("--num-validation", metavar="N", help="Others to validate on.")
    ] = 200,
    generations: Annotated[
        int, typer.Option("--generations", metavar="N", help="Updates of CMA-ES.")
    ] = 25,
    population: Annotated[
        int, typer.Option("--population", metavar="N", help="Constants tried in each generation.")
    ] = 12,
    start: Annotated[
        str,
        typer.Option("--start", metavar="POLICY", help="Policy to start from: a name or a file."),
    ] = "balanced",
    label: Annotated[
        str,
        typer.Option("--label", metavar="SOLVER", help="Solves graphs that have no solution yet."),
    ] = "fusion",
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Keep graphs with their solutions here."),
    ] = None,
    seed: Seed = 0,
    threads: Annotated[
        int | None,
        typer.Option("--threads", metavar="N", min=1, help="Number of graphs solved in parallel."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Search for the constants of dual-greedy that reach most within a budget of time.

    Constants are searched by CMA-ES for the objective of the finished contraction. The file that is
    written also tells how they were found, and what they reach on other graphs and on the families
    left out. A search takes minutes, so it cannot be resumed.
    """
    from multicut.training import PolicySettings, search_policy

    check_writable(path, "--output", (".json",))
    settings = PolicySettings(
        budget=budget,
        families=tuple(family or ()),
        left_out=tuple(leave_out or ()),
        num_graphs=num,
        num_validation=num_validation,
        generations=generations,
        population=population,
        start=start,
        label=label,
        seed=seed,
    )
    families = count(len(settings.families), "family")
    say(
        f"Searching on {families}, {count(num, 'graph')} each, for "
        f"{count(generations, 'generation')} of {population}.",
        quiet=as_json,
    )
    with _progress(settings, quiet=as_json) as update:
        found = search_policy(settings, cache=cache, num_threads=threads, progress=update)
    found.save(path)
    if as_json:
        print_json({"constants": found.policy.to_dict(), **found.card})
        return
    _print(found, settings)
    say(f"The policy is in {path}. Next:")
    say(f"  multicut solve FILE --solver dual-greedy --option policy={shlex.quote(str(path))}")


@contextmanager
def _progress(
    settings: PolicySettings, *, quiet: bool
) -> Iterator[Callable[[int, dict[str, float]], None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = errors()
    total = settings.generations * settings.population
    told: dict[str, float] = {}
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f} {task.fields[values]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as progress:
        task = progress.add_task("labelling", total=total, values="")

        def update(evaluations: int, values: dict[str, float]) -> None:
            text = " ".join(f"{name} {value:.4f}" for name, value in values.items())
            progress.update(task, description="search", completed=evaluations, values=text)
            # Without a terminal there is no bar, but a line for each generation that found better.
            is_due = evaluations % settings.population == 0 and values != told
            if not console.is_terminal and not quiet and is_due:
                told.clear()
                told.update(values)
                say(f"{count(evaluations, 'evaluation')}: {text}")

        yield update


def _print(found: SearchedPolicy, settings: PolicySettings) -> None:
    card = found.card
    chosen = card[card["chosen"]]
    listing = table(
        "Validation: gaps to the best known in percent, work and time in multiples of gaec's",
        *("family", "gaec", "start", "found", "chosen / gaec", "work", "time"),
        left=("family",),
    )
    for name, row in card["validation"].items():
        listing.add_row(
            f"{name} (left out)" if name in settings.left_out else name,
            *(f"{100 * row[key]:.3f}" for key in ("gaec_gap", "start_gap", "found_gap")),
            f"{row['relative_gap']:.3f}",
            f"{row['work']:.2f}",
            f"{row['time']:.2f}",
        )
    output().print(listing)
    rows = {name.replace("_", " "): f"{value:g}" for name, value in found.policy.to_dict().items()}
    rows["work"] = f"{chosen['work']:.2f} of a budget of {card['budget']:g}"
    for part in ("validation", "left_out"):
        if chosen[part] is not None:
            rows[part.replace("_", " ")] = (
                f"{card['found'][part]:.4f} of gaec's gap, the start {card['start'][part]:.4f}"
            )
    answer_block(rows)
    if card["chosen"] == "start":
        say("Nothing better was found than the start, which is kept.")
