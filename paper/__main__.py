"""``python -m paper``: every table and figure of the paper beside ours."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import check_data, data_option, make_folder
from multicut.cli.bench.partwise import CacheFolder, measure_and_write, output_option
from multicut.cli.ending import not_waiting_for_imports
from multicut.cli.running import run_command

_QUICK_SIZES = (10, 100, 1_000)


def measure_paper(
    context: typer.Context,
    output: Annotated[Path, output_option("results")] = Path("results"),
    cache: CacheFolder = None,
    part: Annotated[
        list[str] | None,
        typer.Option("--part", metavar="NAME", help="Measure only this part; repeatable."),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Few and small graphs; takes a few minutes.")
    ] = False,
    num: Annotated[
        int | None,
        typer.Option(
            "--num", metavar="N", min=1, help="Graphs of each test set; by default 1,000."
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit", min=0.001, help="Seconds per classical solver and graph; by default 60."
        ),
    ] = None,
    data: Annotated[
        Path | None,
        data_option("Folder with image-seg, knott-3d-*, cremi*."),
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
    """Measure what is missing, and write all tables and figures beside the published ones.

    The command can be stopped at any time; run it again to resume. Measure networks on a GPU with
    --device cuda, also on another machine: copy its files to --cache.
    """
    from multicut.models.devices import as_device
    from paper import PARTS, PaperSettings, measure_parts, write_page

    chosen = [PARTS.get(name) for name in part] if part else PARTS.matching("*")
    devices = list(dict.fromkeys(device or ["cpu"]))
    for name in devices:
        as_device(name)
        for each in chosen if part and name != "cpu" else ():
            if each.measure_on_device is None:
                raise ValueError(
                    f"--part {each.name} has nothing to measure on {name}; leave out --device"
                )
    data = check_data(data)
    make_folder(output, "--output")
    settings = PaperSettings(
        output=output,
        cache=output / "cache" if cache is None else cache,
        data=data,
        curves=curves,
        num_graphs=num or (20 if quick else 1_000),
        sizes=_QUICK_SIZES if quick else PaperSettings.sizes,
        time_limit=time_limit or (5.0 if quick else 60.0),
        command=context.obj["command"],
    )
    make_folder(settings.cache, "--cache")

    def measure(settings: PaperSettings) -> None:
        for name in devices:
            measure_parts(chosen, replace(settings, device=name))

    measure_and_write(settings, measure, write_page)


@not_waiting_for_imports
def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(measure_paper, "python -m paper", arguments)


if __name__ == "__main__":
    sys.exit(main())
