"""Turn runs of training into models of the package; for maintainers.

``python -m tools.ship_weights NAME RUN [LATER RUN …]`` takes the best network of the last run,
measures it on the test splits of IrisMP and RandomMP and writes weights and card to
``multicut/models/weights``. The earlier runs are those that the last one was finetuned from. The
name of a shipped model, which may be NAME itself, stands for all runs that this model came from.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from multicut._version import __version__
from multicut._words import count
from multicut.cli.running import run_command
from multicut.models.files import load_model, save_model
from multicut.models.registry import WEIGHTS, find_model, has_model, without_suffix
from multicut.training.config import TrainingConfig
from multicut.training.schedule import Ramp

_TEST_SETS = ("irismp", "randommp")
# What a reader of the card needs to train the network again; the rest is about files and machines,
# or has a place of its own in the card.
_SETTINGS = (
    "train",
    "num_train",
    "num_validation",
    "validate_every",
    "scale_free",
    "labels",
    "loss",
    "cost_exponent",
    "contracted",
    "alpha",
    "alpha_start",
    "alpha_ramp",
    "ccl_reduction",
    "ccl_edges",
    "initial_penalty",
    "penalty",
    "penalty_start",
    "penalty_ramp",
    "max_cycle_length",
    "batch_size",
    "learning_rate",
    "weight_decay",
    "warm_up",
    "decay",
    "clip",
    "precision",
    "seed",
    "freeze",
)


def phases_of(run: Path) -> list[dict[str, Any]]:
    """Return the phase of a run (its folder), or all phases of a shipped model (its name)."""
    if _is_shipped(run):
        return list(find_model(str(run)).card["training"])
    return [describe_phase(run)]


def _is_shipped(run: Path) -> bool:
    return run.name == str(run) and not run.is_dir() and has_model(run.name)


def describe_phase(run: Path) -> dict[str, Any]:
    """Summarise one run: its settings, which of its networks was taken, and how good that is.

    A run keeps the network of its best validation, which may lie before α has reached its final
    value, or even before it has left 0; ``alpha_reached`` tells.
    """
    card = json.loads((run / "model.json").read_text(encoding="utf-8"))
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    # A setting that a run does not know is newer than that run, which was as by default.
    settings = {**TrainingConfig().to_dict(), **card["training"]}
    taken = int(settings["instances"])
    split = settings["validation"]
    ramp = Ramp(0.0, settings["alpha"], settings["alpha_start"], settings["alpha_ramp"])
    return {
        **{key: settings[key] for key in _SETTINGS},
        "instances": taken,
        "instances_of_the_run": summary["instances"],
        "run_ended_by": summary["stopped_by"],
        "alpha_reached": ramp.at(taken),
        "validation": {
            "split": _split_in_words(split),
            **({} if isinstance(split, str) else {"weights": split}),
            "num_graphs": settings["num_validation"],
            **(card["validation"] or {}),
        },
    }


def ship(
    name: str,
    runs: Sequence[Path],
    folder: Path = WEIGHTS,
    *,
    half: bool = False,
    scale_free: bool = False,
    num_test: int = 0,
    note: str = "",
) -> Path:
    """Write one model; return the file with its weights.

    Parameters
    ----------
    name
        What the model will be called.
    runs
        The folders of its runs in the order of training. An earlier one may be the name of a
        shipped model, whose card has its phases.
    folder
        Where it goes.
    half
        Whether to store matrices in float16.
    scale_free
        Whether the model brings the costs of each graph to the mean size of the training graphs of
        its first run, although it was trained on costs as they are.
    num_test
        How many graphs of each test split to measure on; 0 takes all.
    note
        What else users should know, in a sentence.
    """
    _check_starts(runs)
    phases = [phase for run in runs for phase in phases_of(run)]
    model = load_model(runs[-1] / "model")
    scale = model.cost_scale
    if scale_free and scale is None:
        scale = _mean_cost(phases[0]["train"], phases[0]["num_train"])
    data = ", then ".join(dict.fromkeys(_in_words(phase["train"]) for phase in phases))
    total = sum(phase["instances"] for phase in phases)
    config = model.network.config
    suffix = "_bn" if getattr(config, "batch_norm", False) else ""
    card = {
        "description": f"{config.architecture}{suffix} trained on {data}, {total:,} instances",
        **({"note": note} if note else {}),
        **({} if scale is None else {"cost_scale": scale}),
        **({} if scale == model.cost_scale else {"cost_scale_added": "after training"}),
        "training": phases,
        "validation": phases[-1]["validation"],
        "version": __version__,
        "date": datetime.now(UTC).date().isoformat(),
    }
    path = save_model(model.network, folder / name, card, half=half)
    # The network is measured as it was stored, since float16 rounds.
    test = _measure(path, num_test)
    return save_model(load_model(path).network, path, card | {"test": test}, half=half)


def _check_starts(runs: Sequence[Path]) -> None:
    """Check that what follows a shipped model is a run that was finetuned from it."""
    for model, run in zip(runs, (*runs[1:], None), strict=True):
        if not _is_shipped(model):
            continue
        if run is None or _is_shipped(run):
            raise ValueError(
                f"the shipped model {model} needs a run after it, got {run or 'none'}; name the "
                f"folder of a run that was finetuned from it"
            )
        card = json.loads((run / "model.json").read_text(encoding="utf-8"))
        start = card["training"].get("finetune", "")
        if model.name not in (without_suffix(Path(start)).name, Path(start).parent.name):
            raise ValueError(
                f"{run} must be finetuned from the shipped model {model}, got finetune = "
                f"{start!r}; name the runs that it came from"
            )


def _mean_cost(train: str | dict[str, float], num_train: int) -> float:
    """Return the mean absolute cost of training graphs, as a run with `scale_free` would take."""
    from multicut.training.named_graphs import mean_absolute_cost, named_graphs

    if not isinstance(train, str) or train.endswith(":fresh"):
        raise ValueError(
            f"scale_free needs a run on one stored dataset, got {train!r}; train with scale_free"
        )
    return mean_absolute_cost(named_graphs(train, "train")[: num_train or None].arrays())


def _split_in_words(validation: str | dict[str, float]) -> str:
    if not isinstance(validation, str) or not validation:
        return "valid" if validation else "none"
    # A name may say which split is meant.
    return validation if ":" in validation else f"{validation}:valid"


def _in_words(train: str | dict[str, float]) -> str:
    return train if isinstance(train, str) else count(len(train), "dataset")


def _measure(path: Path, num_test: int) -> dict[str, Any]:
    from multicut.training.device_dataset import DeviceDataset
    from multicut.training.evaluation import cut_finder, evaluate
    from multicut.training.named_graphs import named_graphs

    model = load_model(path)
    results = {}
    for name in _TEST_SETS:
        graphs = named_graphs(name, "test")[: num_test or None]
        results[f"{name}:test"] = evaluate(
            model.logits,
            DeviceDataset(graphs.arrays(), model.device),
            find_cut=cut_finder(model.network),
        ).to_dict()
    return results


def ship_weights(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What the model is called.")],
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="Its runs, in the order of training; a shipped model stands for its own runs.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            show_default=False,
            help="Where the model goes; by default in the package.",
        ),
    ] = WEIGHTS,
    half: Annotated[bool, typer.Option("--half", help="Store matrices in float16.")] = False,
    scale_free: Annotated[
        bool, typer.Option("--scale-free", help="Make results independent of the unit of costs.")
    ] = False,
    num_test: Annotated[
        int, typer.Option("--num-test", min=0, help="Graphs of each test split; 0 takes all.")
    ] = 0,
    note: Annotated[str, typer.Option("--note", help="What else users should know.")] = "",
) -> None:
    """Write a model of the package: weights and card."""
    path = ship(name, runs, output, half=half, scale_free=scale_free, num_test=num_test, note=note)
    print(f"{path}: {path.stat().st_size:,} bytes")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(ship_weights, "python -m tools.ship_weights", arguments)


if __name__ == "__main__":
    sys.exit(main())
