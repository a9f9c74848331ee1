"""Keep what came of retrained runs for the page: ``python -m paper.retrain.record RUNS``.

Takes the folder that histories were unpacked into. Curves and settings of runs go to
``benchmarks/results/training/readings``, ``…/published`` and ``…/table3``, by the folder that holds
their configuration. Runs of ``configs/earlier`` and ``configs/finetuning`` go to
``benchmarks/results/training`` itself, and so do those shipped networks that have a record there;
``paper.runs.record`` does this. With ``--data``, these networks and those of Table 3 are measured
on the other test sets, too; values on sets that are not at hand are kept if the record is of the
same run. ``paper.runs.record`` also records runs of the first three folders that finetune a
network, since it measures that network as well.
"""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

import typer

from multicut._target import write_whole
from multicut.cli.arguments import check_data, data_option
from multicut.cli.running import run_command
from multicut.datasets import Dataset
from multicut.models.files import load_model
from multicut.training.config import TrainingConfig
from multicut.training.curves import TRAINING_COLUMNS, VALIDATION_COLUMNS, read_curve
from paper.evaluation_sets import find_sets, labelled
from paper.retrain.earlier import configurations
from paper.retrain.lists import check_runs, place_of
from paper.retrain.trunks import trunk_of
from paper.runs.curves import CYCLES, PRECISION, RECIPE, VALIDATION, read_runs
from paper.runs.kept_tests import keep_tests
from paper.runs.record import measured
from paper.runs.record import record as record_as_a_whole
from paper.runs.validation_sets import TITLES

#: Folders of configurations whose runs are kept.
KINDS = ("readings", "published", "table3", "other_family")
# Those whose records lie beside the folders of these.
_OTHERS = ("earlier", "finetuning")
_LOG_EVERY = 50_000
_MOST = 1_000
# Of the runs that share a beginning, the one that stands for it if none has ended.
_BEGINS = ("-published-", "_bn-randommp-alpha-0.003")


def record(
    run: Path,
    config: TrainingConfig,
    folder: Path,
    sets: Mapping[str, Dataset] = MappingProxyType({}),
    stand_ins: Sequence[str] = (),
) -> bool:
    """Write the record of one run, if it has ended; return whether it has.

    Parameters
    ----------
    run
        Its folder.
    config
        Its settings.
    folder
        Where the record goes.
    sets
        More test sets to measure the network on that the run kept.
    stand_ins
        Those of them that are others than the published ones.
    """
    if not (run / "tests.json").exists():
        return False
    _check_settings(run, config)
    tests = json.loads((run / "tests.json").read_text(encoding="utf-8"))
    ratios = _ratios(tests["best"])
    if sets and (run / "model.safetensors").exists():
        model = load_model(run / "model")
        ratios |= {name: measured(model, each).objective_ratio for name, each in sets.items()}
    results: dict[str, Any] = {
        "test": ratios,
        "test_last": _ratios(tests["last"]),
        "stand_ins": [name for name in stand_ins if name in ratios],
    }
    _write(run, run.name, config, folder, results)
    return True


def record_beginning(trunk: Path, name: str, config: TrainingConfig, folder: Path) -> bool:
    """Write how far the beginning of a run has come that was stopped before CCL.

    Until then runs that differ in CCL alone are one run, the trunk. A record that has come farther,
    as that of a run that ended, is kept.
    """
    if not (trunk / "summary.json").exists() or not read_curve(trunk / "validation.csv"):
        return False
    summary = json.loads((trunk / "summary.json").read_text(encoding="utf-8"))
    earlier = folder / f"{name}.json"
    if earlier.exists():
        recorded = json.loads(earlier.read_text(encoding="utf-8"))
        if recorded["test"] or recorded["instances"] >= summary["instances"]:
            return False
    results: dict[str, Any] = {"test": {}, "test_last": {}, "stand_ins": []}
    if summary["stopped_by"] == "finished":
        # The beginning came to its end, the run did not.
        results["stopped_by"] = "not continued"
    _write(trunk, name, config, folder, results)
    return True


def _check_settings(run: Path, config: TrainingConfig) -> None:
    """Make sure that a run was trained with the settings that its record will name."""
    card = json.loads((run / "model.json").read_text(encoding="utf-8"))
    settings = json.loads(json.dumps(config.to_dict()))
    trained = card["training"]
    names = [name for name in (*RECIPE, *CYCLES, *VALIDATION) if name in trained]
    other = [name for name in names if trained[name] != settings[name]]
    if settings["network"] | card.get("network", {}) != settings["network"]:
        other.insert(0, "network")
    if other:
        raise ValueError(
            f"trained with other {', '.join(other)} than its configuration says; remove it, and "
            f"train it again"
        )


def _write(
    run: Path, name: str, config: TrainingConfig, folder: Path, results: dict[str, Any]
) -> None:
    summary = json.loads((run / "summary.json").read_text(encoding="utf-8"))
    card = json.loads((run / "model.json").read_text(encoding="utf-8"))
    settings = config.to_dict()
    document: dict[str, Any] = {
        "started_from": "",
        "network": settings["network"],
        **{name: settings[name] for name in (*RECIPE, *CYCLES, *VALIDATION)},
        PRECISION: card["training"].get(PRECISION, settings[PRECISION]),
        "instances": summary["instances"],
        "planned_instances": config.instances,
        "stopped_by": summary["stopped_by"],
        "best_instances": card["training"]["instances"],
        "seconds": round(summary["seconds"], 1),
        **results,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    curve = _shortened(run / "validation.csv", VALIDATION_COLUMNS, 1)
    keep_tests(document, curve, path)
    write_whole(folder / f"{name}.csv", curve)
    write_whole(path, json.dumps(document, indent=2) + "\n")
    (folder / "losses").mkdir(exist_ok=True)
    losses = _shortened(run / "training.csv", TRAINING_COLUMNS, _LOG_EVERY)
    write_whole(folder / "losses" / f"{name}.csv", losses)


def _ratios(tests: dict[str, Any]) -> dict[str, float]:
    return {TITLES[name]: float(each["objective_ratio"]) for name, each in tests.items()}


def _shortened(source: Path, columns: tuple[str, ...], every: int) -> str:
    """Return a curve with as many digits as matter, and not every row of a long one."""
    kept = [name for name in columns if name not in ("learning_rate", "instances_per_second")]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, kept, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    for row in read_curve(source):
        if int(row["instances"]) % every == 0:
            writer.writerow({name: _short(row.get(name, "")) for name in kept})
    return text.getvalue()


def _short(text: str) -> str:
    return f"{float(text):.6g}" if "." in text or "e" in text else text


def record_all(
    runs: Annotated[Path, typer.Argument(metavar="RUNS", help="The folder with the runs.")],
    configs: Annotated[
        Path, typer.Option("--configs", metavar="DIR", help="Where configurations are.")
    ] = Path("configs"),
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where records go.")
    ] = Path("benchmarks/results/training"),
    data: Annotated[
        Path | None, data_option("Folder with BSDS300, CREMI and Knott, or their stand-ins.")
    ] = None,
) -> None:
    """Keep the curves and settings of retrained runs."""
    check_runs(runs)
    found = find_sets(check_data(data))
    tests = {each.name: labelled(each, _MOST) for each in found}
    stand_ins = [each.name for each in found if each.is_stand_in]
    own = {name: each for name, each in tests.items() if name in TITLES.values()}
    sets = {name: each for name, each in tests.items() if name not in own}
    went_well = True
    for kind in KINDS:
        more = sets if kind == "table3" else {}
        for path in sorted((configs / kind).glob("*.toml")):
            config = TrainingConfig.from_file(path)
            if config.finetune:
                went_well &= _recorded_as_a_whole(runs / path.stem, output / kind, own)
                continue
            try:
                done = record(runs / path.stem, config, output / kind, more, stand_ins)
            except ValueError as error:
                went_well = _say_why_not(runs / path.stem, error)
                continue
            if not done and any(part in path.stem for part in _BEGINS):
                trunk = runs / "trunks" / str(trunk_of(config))
                done = record_beginning(trunk, path.stem, config, output / kind)
            if done:
                print(output / kind / f"{path.stem}.json")
    for path in recorded_elsewhere(configs, output):
        went_well &= _recorded_as_a_whole(runs / place_of(path), output, tests, stand_ins)
    if not went_well:
        raise ValueError("a run could not be recorded; see above")


def _recorded_as_a_whole(
    run: Path, folder: Path, tests: Mapping[str, Dataset], stand_ins: Sequence[str] = ()
) -> bool:
    """Record a run, if it has ended and its weights are there; return whether nothing is wrong."""
    if not (run / "tests.json").exists():
        return True
    if not (run / "model.safetensors").exists():
        print(f"{run}: not recorded, since its weights are not there")
        return True
    try:
        print(record_as_a_whole(run, folder, tests, stand_ins))
    except ValueError as error:
        return _say_why_not(run, error)
    return True


def _say_why_not(run: Path, error: ValueError) -> bool:
    """Print what is wrong with a run, since others may be recorded all the same."""
    print(f"{run}: not recorded: {error}")
    return False


def recorded_elsewhere(configs: Path, records: Path) -> list[Path]:
    """Return the configurations of runs whose records lie in `records` itself."""
    others = [path for kind in _OTHERS for path in sorted((configs / kind).glob("*.toml"))]
    runs = read_runs(records).values()
    return others + [path for run in runs for path in configurations(run, [configs / "shipped"])]


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(record_all, "python -m paper.retrain.record", arguments)


if __name__ == "__main__":
    sys.exit(main())
