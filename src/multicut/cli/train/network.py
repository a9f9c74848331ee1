"""``multicut train network``: train networks from configuration files."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from multicut._words import count
from multicut.cli.arguments import Json, make_folder, parse_option, parse_seconds
from multicut.cli.console import errors, output, print_json, say, table
from multicut.cli.failures import InterruptedCommandError

if TYPE_CHECKING:
    from multicut.training import TrainingConfig

# A configuration file and what it says.
Run: TypeAlias = "tuple[Path, TrainingConfig]"

# Settings that are tables of settings.
_TABLES = ("network", "train", "validation")

_COLUMNS = (
    "run",
    "instances",
    "per s",
    "BCE",
    "CCL",
    "feasible",
    "optimal",
    "objective ratio",
    "stopped by",
)


# How many digits the table shows of each; they are those of `multicut evaluate`.
_MEASURES = {
    "bce": ".4f",
    "ccl": ".4g",
    "feasible_ratio": ".3f",
    "optimal_ratio": ".3f",
    "objective_ratio": ".4f",
}


def train_network(
    configs: Annotated[
        list[Path], typer.Argument(metavar="CONFIG", help="TOML files with settings.")
    ],
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            help="Folder for results; with several files, of folders.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Replace a setting, e.g. network.depth=3; repeatable.",
        ),
    ] = None,
    finetune: Annotated[
        str | None,
        typer.Option(
            "--finetune", metavar="MODEL", help="Start from this model: a name or a path."
        ),
    ] = None,
    freeze: Annotated[
        str | None,
        typer.Option(
            "--freeze",
            metavar="WHAT",
            help="With --finetune: nothing, convolutions or all-but-last-layer.",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="S",
            parser=parse_seconds,
            help="Stop after this many seconds and save a checkpoint.",
        ),
    ] = None,
    restart: Annotated[
        bool, typer.Option("--restart", help="Start over instead of resuming from the checkpoint.")
    ] = False,
    parallel: Annotated[
        bool, typer.Option("--parallel", help="Run all files at the same time, as processes.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Train a network for each CONFIG; run the same command again to resume."""
    from multicut.training.config import TrainingConfig

    changes = parse_settings(settings or [])
    if finetune is not None:
        changes["finetune"] = finetune
    if freeze is not None:
        changes["freeze"] = freeze
    runs: list[Run] = []
    for path in configs:
        config = TrainingConfig.from_file(path).updated(changes)
        if folder is not None:
            place = folder / path.stem if len(configs) > 1 else folder
            config = config.updated({"output": str(place)})
        runs.append((path, config))
    _check_outputs(runs)
    if _is_first_process() and not as_json:
        for path, config in runs:
            say(
                f"Training {path.stem} on {config.learns_from}, "
                f"{count(config.instances, 'instance')}, into {config.output}."
            )
    results = (_run_parallel if parallel else _run_in_turn)(runs, time_limit, restart, as_json)
    if not _is_first_process():
        return
    summaries = [
        {"config": str(path), **result} for (path, _), result in zip(runs, results, strict=False)
    ]
    if as_json:
        print_json(summaries)
    else:
        _print_table(summaries)
        for (_, config), summary in zip(runs, summaries, strict=False):
            _tell_next(config, summary)
    stopped = [summary for summary in summaries if summary["stopped_by"] == "interrupt"]
    if stopped:
        raise InterruptedCommandError("run the same command again to resume from the checkpoint")


def parse_settings(texts: list[str]) -> dict[str, Any]:
    """Return the settings that ``--set KEY=VALUE`` replaces; those of tables are grouped."""
    changes: dict[str, Any] = {}
    for text in texts:
        try:
            key, value = parse_option(text)
        except ValueError as error:
            raise ValueError(str(error).replace("--option", "--set")) from None
        table_name, dot, inner = key.partition(".")
        if not dot:
            changes[key] = value
        elif table_name in _TABLES:
            changes.setdefault(table_name, {})[inner] = value
        else:
            raise ValueError(f"--set {text}: only {', '.join(_TABLES)} are tables of settings")
    return changes


def _check_outputs(runs: list[Run]) -> None:
    seen: dict[Path, Path] = {}
    for path, config in runs:
        make_folder(Path(config.output), "--output")
        place = Path(config.output).resolve()
        if place in seen:
            raise ValueError(f"{seen[place]} and {path} both write to {config.output}")
        seen[place] = path


def _run_in_turn(
    runs: list[Run], time_limit: float | None, restart: bool, quiet: bool
) -> list[dict[str, Any]]:
    from multicut.interrupts import heeding_interrupts

    with heeding_interrupts():  # torch takes seconds to import
        from multicut.training.runner import train as train_one

    results = []
    started = time.monotonic()
    for path, config in runs:
        left = None if time_limit is None else max(0.0, time_limit - (time.monotonic() - started))
        with _progress_bars([(path, config)], quiet) as update:
            result = train_one(
                config,
                restart=restart,
                time_limit=left,
                progress=lambda seen, values: update(0, seen, values),
            )
        results.append(result.to_dict())
        if result.stopped_by == "interrupt":
            break
    return results


def _run_parallel(
    runs: list[Run], time_limit: float | None, restart: bool, quiet: bool
) -> list[dict[str, Any]]:
    from multicut.training.parallel import train_side_by_side

    with _progress_bars(runs, quiet) as update:
        return train_side_by_side(
            [config for _, config in runs],
            time_limit=time_limit,
            restart=restart,
            progress=update,
        )


def _is_first_process() -> bool:
    """Whether this is the one of the processes that torchrun has started that speaks."""
    return int(os.environ.get("RANK", "0")) == 0


@contextmanager
def _progress_bars(
    runs: list[Run], quiet: bool
) -> Iterator[Callable[[int, int, dict[str, float]], None]]:
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = errors()
    shown: list[dict[str, float]] = [{} for _ in runs]
    told: list[float | None] = [None for _ in runs]
    names = {"loss": "loss", "objective_ratio": "ratio", "instances_per_second": "per s"}
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}/{task.total:,.0f} {task.fields[values]}"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=quiet or not console.is_terminal,
    ) as progress:
        tasks = [
            progress.add_task(path.stem, total=config.instances, values="") for path, config in runs
        ]

        def update(which: int, instances: int, values: dict[str, float]) -> None:
            mine = shown[which]
            mine.update(values)
            text = " ".join(
                f"{short} {mine[name]:.4g}" for name, short in names.items() if name in mine
            )
            progress.update(tasks[which], completed=instances, values=text)
            # Without a terminal there are no bars, but a line for each validation.
            ratio = mine.get("objective_ratio")
            if not console.is_terminal and not quiet and ratio != told[which]:
                told[which] = ratio
                say(f"{runs[which][0].stem}: {count(instances, 'instance')}, {text}")

        yield update


def _tell_next(config: TrainingConfig, summary: dict[str, Any]) -> None:
    """Say where the model is and what to do with it."""
    folder = Path(summary["folder"])
    weights = folder / "model.safetensors"
    if not weights.is_file():
        return
    # Without graphs that the card can name, those of the package will do.
    has_name = bool(config.validation) and not str(config.validation).startswith("given:")
    place = shlex.quote(str(folder))
    say(f"The model is in {weights}. Next:")
    say(f"  multicut evaluate {place}" + ("" if has_name else " randommp"))
    say(f"  multicut solve FILE --model {place}")


def _print_table(summaries: list[dict[str, Any]]) -> None:
    listing = table(None, *_COLUMNS, left=("run", "stopped by"))
    for summary in summaries:
        measures = summary["validation"] or {}
        speed = summary["instances_per_second"]
        listing.add_row(
            Path(summary["config"]).stem,
            f"{summary['instances']:,}",
            "-" if speed is None else f"{speed:,.0f}",
            *(
                "-" if measures.get(name) is None else f"{measures[name]:{digits}}"
                for name, digits in _MEASURES.items()
            ),
            summary["stopped_by"],
        )
    output().print(listing)
