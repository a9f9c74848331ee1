"""``multicut bench frontier``: quality against time of every solver on every family of graphs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import check_data, data_option, make_folder
from multicut.cli.bench.options import WithPeer
from multicut.cli.bench.partwise import CacheFolder, measure_and_write, output_option


def bench_frontier(
    context: typer.Context,
    output: Annotated[Path, output_option("frontier")] = Path("frontier"),
    cache: CacheFolder = None,
    family: Annotated[
        list[str] | None,
        typer.Option("--family", metavar="NAME", help="Measure only this family; repeatable."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few graphs and short limits: two minutes.")
    ] = False,
    num: Annotated[
        int | None,
        typer.Option("--num", metavar="N", min=1, help="Graphs of each family; by default 50."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="S",
            min=0.001,
            help="Seconds per solver and graph; by default 5.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        data_option("Folder with modularity.npz, em/, signed/ and bsds/."),
    ] = None,
    device: Annotated[
        str,
        typer.Option("--device", metavar="NAME", help="A device on which networks run as well."),
    ] = "cpu",
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", min=1, help="Threads of each of our solvers.")
    ] = 1,
    peer: WithPeer = True,
) -> None:
    """Measure quality against time of all solvers; write a table and a figure for each family.

    The command can be stopped at any time; run it again to resume.
    """
    from multicut.benchmark.frontier import (
        FrontierSettings,
        find_families,
        measure_family,
        write_page,
    )
    from multicut.models.devices import as_device

    as_device(device)
    settings = FrontierSettings(
        output=output,
        cache=output / "cache" if cache is None else cache,
        data=check_data(data),
        num_threads=threads,
        with_peer=peer,
        device=device,
    )
    if quick:
        settings = replace(
            settings, num_graphs=4, num_limited=1, large=5_000, time_limit=1.0, limits=(0.05, 0.5)
        )
    settings = replace(
        settings,
        num_graphs=num or settings.num_graphs,
        time_limit=time_limit or settings.time_limit,
    )
    known = {each.name: each for each in find_families(settings)}
    for name in family or []:
        if name not in known:
            raise ValueError(f"unknown --family {name!r}; choose from: {', '.join(known)}")
    make_folder(output, "--output")
    make_folder(settings.cache, "--cache")
    command = context.obj["command"]

    def measure(settings: FrontierSettings) -> None:
        for name in family or known:
            measure_family(settings, known[name])

    measure_and_write(settings, measure, lambda settings: write_page(settings, command))
