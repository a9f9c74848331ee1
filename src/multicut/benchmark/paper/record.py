"""Keep what came of training runs for the page, without their weights; for maintainers.

``python -m multicut.benchmark.paper.record RUN … -o benchmarks/results/training --data DIR``
measures the model of each run on the test sets that are at hand and writes its validation curve and
its settings, ``NAME.csv`` and ``NAME.json``, where NAME is that of the run's folder.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from multicut.benchmark.paper.curves import CYCLES, RECIPE, name_of_run
from multicut.benchmark.paper.test_sets import EvaluationSet, find_sets
from multicut.models.files import load_model
from multicut.models.registry import find_model
from multicut.training.config import TrainingConfig
from multicut.training.device_dataset import DeviceDataset
from multicut.training.evaluation import cut_finder, evaluate
from multicut.training.graphs import named_graphs

# What a reader of the curves needs to know of a run.
_SETTINGS = (*RECIPE, *CYCLES, "validation", "num_validation")


def record(run: Path, folder: Path, sets: Sequence[EvaluationSet], most: int = 1_000) -> Path:
    """Write the curve and the settings of one run; return the file with the settings.

    Parameters
    ----------
    run
        The folder of the run.
    folder
        Where they go.
    sets
        The test sets to measure its model on.
    most
        How many graphs of each.
    """
    card = json.loads((run / "model.json").read_text(encoding="utf-8"))
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    # A setting that a run does not know is newer than that run, which was as by default.
    training = {**TrainingConfig().to_dict(), **card["training"]}
    document = {
        "started_from": name_of_run(training["finetune"]),
        "network": card["network"],
        **{name: training[name] for name in _SETTINGS},
        "instances": summary["instances"],
        "planned_instances": _planned(run, summary),
        "stopped_by": summary["stopped_by"],
        "best_instances": training["instances"],
        "seconds": round(summary["seconds"], 1),
        "test": {each.name: _ratio(run / "model", each, most) for each in sets},
    }
    start = _start_of(run, training["finetune"])
    if start is not None and _can_be_read(training["validation"]):
        document["before"] = _ratio_before(start, training)
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run / "validation.csv", folder / f"{run.name}.csv")
    path = folder / f"{run.name}.json"
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return path


def _ratio(model: Path, chosen: EvaluationSet, most: int) -> float:
    loaded = load_model(model)
    graphs = chosen.load()[:most]
    return _measured(loaded, graphs)


def _can_be_read(validation: str | dict[str, float]) -> bool:
    """Whether a run was validated on one set that has a name; those given in Python are gone."""
    return isinstance(validation, str) and validation != "" and not validation.startswith("given:")


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


def _ratio_before(model: str | Path, training: dict[str, Any]) -> float:
    """Return how good the model that was finetuned is on the validation graphs."""
    graphs = named_graphs(training["validation"], "valid")[: training["num_validation"] or None]
    return _measured(load_model(model), graphs)


def _measured(model: Any, graphs: Any) -> float:
    dataset = DeviceDataset(graphs.arrays(), model.device)
    return evaluate(model.logits, dataset, find_cut=cut_finder(model.network)).objective_ratio


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m multicut.benchmark.paper.record",
        description="Keep what came of training runs.",
    )
    parser.add_argument("run", nargs="+", type=Path, help="folders of runs")
    parser.add_argument("-o", "--output", type=Path, default=Path("benchmarks/results/training"))
    parser.add_argument("--data", type=Path, help="folder with BSDS300, CREMI, Knott or stand-ins")
    parser.add_argument("--num-test", type=int, default=1_000, help="graphs of each test set")
    given = parser.parse_args(arguments)
    sets = find_sets(given.data)
    for run in given.run:
        path = record(run, given.output, sets, given.num_test)
        print(f"{path}: {json.loads(path.read_text())['test']}")


if __name__ == "__main__":
    main()
