"""The configurations of the shipped weights, from their cards: ``python -m paper.retrain.shipped``.

Writes ``configs/shipped``: one file for each phase of training of each model. A model with two
phases has two files; the second finetunes what came of the first.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from multicut._target import write_whole
from multicut.benchmark.markdown import table
from multicut.cli.running import run_command
from multicut.models import ModelRecord, list_models
from multicut.training.config import TrainingConfig

FOLDER = Path("configs/shipped")
_NOT_SETTINGS = ("instances_of_the_run", "run_ended_by", "alpha_reached", "validation")


def settings_of(record: ModelRecord) -> dict[str, dict[str, Any]]:
    """Return the settings of each phase of a model's training, by the name of its file."""
    phases: list[dict[str, Any]] = record.card["training"]
    files: dict[str, dict[str, Any]] = {}
    for number, phase in enumerate(phases, 1):
        is_last = number == len(phases)
        name = record.name if is_last else f"{record.name}-phase-{number}"
        settings = {key: value for key, value in phase.items() if key not in _NOT_SETTINGS}
        settings["instances"] = phase["instances_of_the_run"]
        if number > 1:
            settings["finetune"] = f"runs/{record.name}-phase-{number - 1}/model"
        else:
            settings["network"] = record.card["network"]
        settings |= _validation(phase)
        files[name] = settings
    return files


def _validation(phase: Mapping[str, Any]) -> dict[str, Any]:
    """Return the validation graphs of a phase: one set, or several with their weights.

    Older cards name neither weights nor how many graphs of each set were taken. The weights of a
    mixture were the shares of training, others were equal.
    """
    measured = phase.get("validation") or {}
    num_graphs = int(measured.get("num_graphs") or 0)
    several = measured.get("by_dataset")
    if several:
        shares = phase["train"] if isinstance(phase["train"], Mapping) else {}
        weights = {name: shares.get(name, 1 / len(several)) for name in several}
        found: dict[str, Any] = {
            "validation": weights,
            "num_validation": num_graphs // len(several),
        }
    else:
        name = str(measured.get("split") or phase["train"]).removesuffix(":valid")
        found = {"validation": name, "num_validation": num_graphs % 1_000}
    if "weights" in measured:
        found["validation"] = measured["weights"]
    if "num_validation" in phase:
        found["num_validation"] = phase["num_validation"]
    return found


def config_of(settings: Mapping[str, Any]) -> TrainingConfig:
    """Return the settings of a run, which are checked."""
    return TrainingConfig().updated(settings)


def as_toml(title: str, settings: Mapping[str, Any]) -> str:
    """Write settings as TOML, tables last."""
    default = TrainingConfig().to_dict()
    plain = {k: v for k, v in settings.items() if not isinstance(v, Mapping) and v != default[k]}
    lines = [f"# {title}", *(f"{key} = {_value(value)}" for key, value in plain.items())]
    for name, content in settings.items():
        if isinstance(content, Mapping):
            lines += ["", f"[{name}]"]
            lines += [f"{_key(key)} = {_value(value)}" for key, value in content.items()]
    return "\n".join(lines) + "\n"


def _key(key: str) -> str:
    return key if key.replace("_", "").isalnum() else f'"{key}"'


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else f"{value!r}"


COLUMNS = ("model", "configuration", "instances", "alpha", "decay", "seed", "as the card")


def compare(records: list[ModelRecord], folder: Path = FOLDER) -> list[dict[str, Any]]:
    """Return a record for each configuration, which says whether it is as the card has it."""
    rows = []
    for record in records:
        for name, settings in settings_of(record).items():
            path = folder / f"{name}.toml"
            rows.append(
                {
                    "model": record.name,
                    "configuration": path.name,
                    "instances": settings["instances"],
                    "alpha": settings["alpha"],
                    "decay": settings.get("decay", "none"),
                    "seed": settings["seed"],
                    "is_as_card": path.exists() and _same(path, settings),
                }
            )
    return rows


def texts_of(row: Mapping[str, Any]) -> list[str]:
    """Return what a table shows of a record, in the order of the columns."""
    return [
        f"`{row['model']}`",
        f"`{row['configuration']}`",
        f"{row['instances']:,}",
        f"{row['alpha']:g}",
        row["decay"],
        str(row["seed"]),
        "yes" if row["is_as_card"] else "no",
    ]


def _same(path: Path, settings: Mapping[str, Any]) -> bool:
    return TrainingConfig.from_file(path).updated({"output": "runs"}) == config_of(
        {**settings, "output": "runs"}
    )


def write_configs(
    folder: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where configurations go.")
    ] = FOLDER,
) -> None:
    """Write the configurations of the shipped weights, and print them against the cards."""
    folder.mkdir(parents=True, exist_ok=True)
    records = [record for record in list_models() if isinstance(record.card.get("training"), list)]
    for record in records:
        for name, settings in settings_of(record).items():
            title = f"What the shipped weights of {record.name} were trained with."
            write_whole(folder / f"{name}.toml", as_toml(title, settings))
    rows = list(map(texts_of, compare(records, folder)))
    print(*table(COLUMNS, rows, 2), sep="\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(write_configs, "python -m paper.retrain.shipped", arguments)


if __name__ == "__main__":
    sys.exit(main())
