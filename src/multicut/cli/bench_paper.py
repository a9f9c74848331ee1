"""``multicut bench paper``: every table and figure of the paper beside ours."""

from __future__ import annotations

import shlex
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
        typer.Option("--output", "-o", metavar="DIR", help="Gets results.md and images/."),
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
        str, typer.Option("--device", metavar="NAME", help="Where networks run.")
    ] = "cpu",
) -> None:
    """Measure what is not measured yet, and write all tables and figures beside the published ones.

    May be stopped at any time; the same command goes on where it was.
    """
    from multicut.benchmark.paper import PARTS, PaperSettings, write_page
    from multicut.models.devices import as_device

    chosen = [PARTS.get(name) for name in part] if part else PARTS.matching("*")
    data = find_data(data, quick=quick)
    as_device(device)
    make_folder(output, "--output")
    settings = PaperSettings(
        output=output,
        cache=output / "cache" if cache is None else cache,
        data=data,
        curves=curves,
        num_graphs=num or (20 if quick else 1_000),
        sizes=_QUICK_SIZES if quick else PaperSettings.sizes,
        time_limit=time_limit or (5.0 if quick else 60.0),
        device=device,
    )
    make_folder(settings.cache, "--cache")
    command = shlex.join(["multicut", *context.obj["arguments"]])

    def measure(settings: PaperSettings) -> None:
        for each in chosen:
            each.measure(settings)

    measure_and_write(settings, measure, lambda settings: write_page(settings, command))
