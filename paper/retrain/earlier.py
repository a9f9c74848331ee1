"""The configurations of earlier runs, from their records: ``python -m paper.retrain.earlier``.

Writes ``configs/earlier``: one file for each recorded run that no other folder has a file of, with
its name and its settings. A run that finetunes another one names the network which that one kept.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from multicut._target import write_whole
from multicut.cli.running import run_command
from multicut.training.config import TrainingConfig
from paper.retrain.shipped import as_toml
from paper.runs.curves import CYCLES, RECIPE, VALIDATION, Run, name_of_run, read_runs

CONFIGS = Path("configs")
FOLDER = CONFIGS / "earlier"
RECORDS = Path("benchmarks/results/training")


def recorded_runs(folder: Path = RECORDS) -> list[Run]:
    """Return the runs of all records in a folder and in the folders within it."""
    folders = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    return [run for each in folders for run in read_runs(each).values()]


def settings_of(run: Run) -> dict[str, Any]:
    """Return the settings of a run that its record names."""
    settings = {name: run.settings[name] for name in (*RECIPE, *CYCLES, *VALIDATION)}
    settings |= {"instances": run.planned_instances, "network": run.network}
    if run.started_from:
        settings["finetune"] = f"runs/{FOLDER.name}/{run.started_from}/model"
    return settings


def is_of(config: TrainingConfig, run: Run) -> bool:
    """Whether a configuration has the settings of a run."""
    own = {**config.to_dict(), "finetune": name_of_run(config.finetune)}
    settings = {**settings_of(run), "finetune": run.started_from}
    if run.started_from:
        # Finetuning keeps the scale of costs that a network has, whatever the setting says.
        del settings["scale_free"]
    return all(own[name] == value for name, value in settings.items())


def configurations(run: Run, folders: Iterable[Path]) -> list[Path]:
    """Return the files in some folders that have the name of a run and its settings."""
    files = [folder / f"{run.name}.toml" for folder in folders]
    return [path for path in files if path.exists() and is_of(TrainingConfig.from_file(path), run)]


def texts(runs: Iterable[Run], configs: Path = CONFIGS) -> dict[str, str]:
    """Return the configurations of runs that no folder but ``earlier`` has one of, by name."""
    others = [path for path in configs.iterdir() if path.is_dir() and path.name != FOLDER.name]
    return {run.name: as_text(run) for run in runs if not configurations(run, others)}


def as_text(run: Run) -> str:
    """Write the settings of a run as TOML."""
    title = "Generated from the record of this run by `python -m paper.retrain.earlier`."
    # A record does not name this interval, but its curve has a row for each.
    validate_every = int(run.rows[0]["instances"])
    return as_toml(title, {**settings_of(run), "validate_every": validate_every})


def write_configs(
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where configurations go.")
    ] = FOLDER,
) -> None:
    """Write the configurations of recorded runs that have no other one."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts(recorded_runs()).items():
        path = folder / f"{name}.toml"
        write_whole(path, text)
        print(path)


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(write_configs, "python -m paper.retrain.earlier", arguments)


if __name__ == "__main__":
    sys.exit(main())
