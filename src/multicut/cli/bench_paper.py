"""``multicut bench paper``: every table and figure of the paper beside ours."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import find_data, make_folder
from multicut.cli.partwise import measure_and_write

_QUICK_SIZES = (10, 100, 1_000)


def bench_paper(
    context: typer.Context,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="Gets results.md, .json and images/."),
    ] = Path("results"),
    cache: Annotated[
        Path | None,
        typer.Option("--cache", metavar="DIR", help="Measurements as JSON; by default in DIR."),
    ] = None,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", metavar="NAME", help="Measure only this part; repeatable."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few and small graphs: a few minutes.")
    ] = False,
    num: Annotated[
        int | None,
        typer.Option("--num", metavar="N", min=1, help="Graphs of each test set; 1,000."),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0.001, help="Seconds per classical solver and graph; 60."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder with image-seg, knott-3d-*, cremi*."),
    ] = None,
    curves: Annotated[
        Path, typer.Option("--curves", metavar="DIR", help="Validation curves of training runs.")
    ] = Path("benchmarks/results/training"),
    device: Annotated[
        list[str] | None,
        typer.Option(
            "--device",
            metavar="NAME",
            help="cpu, or cuda: only what networks do there, beside the rest; repeatable.",
        ),
    ] = None,
) -> None:
    """Measure what is not measured yet, and write all tables and figures beside the published ones.

    May be stopped at any time; the same command goes on where it was. What a GPU does may be
    measured on another machine, with --device cuda: its files in --cache join the others.
    """
    from multicut.benchmark.paper import PARTS, PaperSettings, measure_parts, write_page
    from multicut.models.devices import as_device

    chosen = [PARTS.get(name) for name in part] if part else PARTS.matching("*")
    devices = list(dict.fromkeys(device or ["cpu"]))
    for name in devices:
        as_device(name)
        for each in chosen if part and name != "cpu" else ():
            if each.measure_on_device is None:
                raise ValueError(
                    f"--part {each.name} has nothing to measure on {name}; leave out --device"
                )
    data = find_data(data, quick=quick)
    make_folder(output, "--output")
    settings = PaperSettings(
        output=output,
        cache=output / "cache" if cache is None else cache,
        data=data,
        curves=curves,
        num_graphs=num or (20 if quick else 1_000),
        sizes=_QUICK_SIZES if quick else PaperSettings.sizes,
        time_limit=time_limit or (5.0 if quick else 60.0),
        command=shlex.join(["multicut", *context.obj["arguments"]]),
    )
    make_folder(settings.cache, "--cache")

    def measure(settings: PaperSettings) -> None:
        for name in devices:
            measure_parts(chosen, replace(settings, device=name))

    measure_and_write(settings, measure, write_page)
