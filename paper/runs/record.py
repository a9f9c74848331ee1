"""Keep what came of training runs for the page, without their weights; for maintainers.

``python -m paper.runs.record RUN … -o benchmarks/results/training --data DIR``
measures the model of each run on the test sets that are at hand and writes its validation curve and
its settings, ``NAME.csv`` and ``NAME.json``, where NAME is that of the run's folder. The network
that a run finetuned is measured on the validation graphs of that run: ``before``. ``stand_ins``
names the sets, trained on or tested on, that are others than the published ones. Values on test
sets that are not at hand are kept from an earlier record of the same run.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from multicut._target import write_whole
from multicut.cli.arguments import check_data, data_option
from multicut.cli.running import run_command
from multicut.datasets import Dataset
from multicut.models.files import load_model
from multicut.models.registry import find_model
from multicut.nn.model import Model
from multicut.training.config import TrainingConfig
from multicut.training.device_dataset import DeviceDataset
from multicut.training.evaluation import Evaluation, cut_finder, evaluate, mean_evaluation
from multicut.training.named_graphs import named_graphs
from paper.evaluation_sets import find_sets, labelled
from paper.runs.curves import ALL_MEASURES, CYCLES, PRECISION, RECIPE, VALIDATION, name_of_run
from paper.runs.kept_tests import keep_tests
from paper.runs.training_graphs import check_validation, corpus_of, is_stand_in

# What a reader of the curves needs to know of a run.
_SETTINGS = (*RECIPE, *CYCLES, *VALIDATION, PRECISION)
# What the graphs at hand are where a run was trained on a stand-in, or was not.
_AT_HAND = {True: "published, its own are a stand-in", False: "a stand-in, its own are published"}


def record(
    run: Path, folder: Path, tests: Mapping[str, Dataset], stand_ins: Collection[str] = ()
) -> Path:
    """Write the curve and the settings of one run; return the file with the settings.

    Parameters
    ----------
    run
        The folder of the run.
    folder
        Where they go.
    tests
        The test sets to measure its model on, with solutions.
    stand_ins
        Those of the test sets that are others than the published ones.
    """
    card = json.loads((run / "model.json").read_text(encoding="utf-8"))
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    # A setting that a run does not know is newer than that run, which was as by default.
    training = {**TrainingConfig().to_dict(), **card["training"]}
    model = load_model(run / "model")
    corpus = corpus_of(training["train"])
    if corpus is not None:
        others = is_stand_in(run, training["train"])
        _check_validation(run, model, training, card["validation"])
        if corpus in tests and others != (corpus in stand_ins):
            # A record says once for each set whether it is a stand-in.
            print(f"{run}: not tested on {corpus}: the graphs at hand are {_AT_HAND[others]}")
            tests = {name: each for name, each in tests.items() if name != corpus}
        stand_ins = [name for name in stand_ins if name != corpus] + [corpus] * others
    document = {
        "started_from": name_of_run(training["finetune"]),
        "network": card["network"],
        **{name: training[name] for name in _SETTINGS},
        "instances": summary["instances"],
        "planned_instances": _planned(run, summary),
        "stopped_by": summary["stopped_by"],
        "best_instances": training["instances"],
        "seconds": round(summary["seconds"], 1),
        "test": {name: measured(model, each).objective_ratio for name, each in tests.items()},
        "stand_ins": list(stand_ins),
    }
    start = _start_of(run, training["finetune"])
    if start is not None and _can_be_read(training["validation"]):
        document["before"] = _validated(load_model(start), training)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{run.name}.json"
    curve = (run / "validation.csv").read_text(encoding="utf-8")
    keep_tests(document, curve, path)
    write_whole(folder / f"{run.name}.csv", curve)
    write_whole(path, json.dumps(document, indent=2) + "\n")
    return path


def _check_validation(
    run: Path, model: Model, training: dict[str, Any], then: dict[str, Any] | None
) -> None:
    """Make sure that the graphs of a finetuning run are still those that it was trained on."""
    if then is not None and _can_be_read(training["validation"]):
        now = _validated(model, {**training, "max_cycle_length": None})
        check_validation(run, now["bce"], then["bce"])


def _can_be_read(validation: str | dict[str, float]) -> bool:
    """Whether a run was validated on graphs that have a name; those given in Python are gone."""
    return bool(validation) and not str(validation).startswith("given:")


def _planned(run: Path, summary: dict[str, Any]) -> int | None:
    """Return how many instances the run was to see; None if it was stopped, and nothing tells."""
    config = run / "config.json"
    if config.exists():
        return int(json.loads(config.read_text(encoding="utf-8"))["instances"])
    return int(summary["instances"]) if summary["stopped_by"] == "finished" else None


def _start_of(run: Path, finetuned: str) -> str | Path | None:
    """Return the model that a run began with, also if its run has moved beside this one."""
    if not finetuned:
        return None
    beside = run.parent / name_of_run(finetuned) / "model"
    for model in (finetuned, beside):
        try:
            find_model(model)
        except (OSError, ValueError):
            continue
        return model
    return None


def _validated(model: Model, training: dict[str, Any]) -> dict[str, float | None]:
    """Validate a model as a run does: on its graphs, with its weights where these are several."""
    validation, most = training["validation"], training["num_validation"] or None
    max_length = training["max_cycle_length"] if model.architecture.has_cycle_measure else None
    weights = {validation: 1.0} if isinstance(validation, str) else validation
    found = {
        name: measured(model, named_graphs(name, "valid")[:most], max_length) for name in weights
    }
    mean = mean_evaluation(found, weights)
    return {name: getattr(mean, name) for name in ALL_MEASURES}


def measured(model: Model, graphs: Dataset, max_cycle_length: int | None = None) -> Evaluation:
    """Evaluate a model on graphs with solutions."""
    dataset = DeviceDataset(graphs.arrays(), model.device)
    return evaluate(
        model.logits,
        dataset,
        max_cycle_length=max_cycle_length,
        find_cut=cut_finder(model.network),
    )


def record_runs(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN", help="Folders of runs.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where records go.")
    ] = Path("benchmarks/results/training"),
    data: Annotated[
        Path | None,
        data_option("Folder with BSDS300, CREMI and Knott, or their stand-ins."),
    ] = None,
    num_test: Annotated[
        int, typer.Option("--num-test", min=1, help="Graphs of each test set.")
    ] = 1_000,
) -> None:
    """Keep the validation curves and the settings of training runs, and measure their models."""
    sets = find_sets(check_data(data))
    tests = {each.name: labelled(each, num_test) for each in sets}
    stand_ins = [each.name for each in sets if each.is_stand_in]
    for run in runs:
        path = record(run, output, tests, stand_ins)
        print(f"{path}: {json.loads(path.read_text())['test']}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(record_runs, "python -m paper.runs.record", arguments)


if __name__ == "__main__":
    sys.exit(main())
