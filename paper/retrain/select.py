"""Which retrained run each network of Table 1 comes from: ``python -m paper.retrain.select RUNS``.

A network is selected on validation graphs of its own training set alone: of all runs in
``configs/published`` that train it, the one with the best validation. Test values are shown beside
it and play no part.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from multicut.benchmark.markdown import ratio, table
from multicut.cli.running import run_command
from multicut.models.registry import find_model
from multicut.training.config import TrainingConfig
from paper.published import TABLE_1
from paper.retrain.lists import check_runs
from paper.runs.validation_sets import TITLES

_CONFIGS = Path("configs/published")


@dataclass(frozen=True)
class Candidate:
    """A run, the best validation of its network, and its test values."""

    run: Path
    validation: float
    tests: dict[str, float]


def candidates(name: str, runs: Path, configs: Path = _CONFIGS) -> list[Candidate]:
    """Return the finished runs that train a network, the best validation first."""
    found = []
    for path in sorted(configs.glob(f"{name}-*.toml")):
        config, run = TrainingConfig.from_file(path), runs / path.stem
        if config.train != config.validation or not (run / "tests.json").exists():
            continue
        card: dict[str, Any] = json.loads((run / "model.json").read_text(encoding="utf-8"))
        tests = json.loads((run / "tests.json").read_text(encoding="utf-8"))["best"]
        ratios = {TITLES[each]: float(values["objective_ratio"]) for each, values in tests.items()}
        found.append(Candidate(run, float(card["validation"]["objective_ratio"]), ratios))
    return sorted(found, key=lambda each: -each.validation)


def shipped_validation(name: str) -> str:
    """Return the validation of the present network, if it was selected on its own set alone."""
    card = find_model(name).card
    validation = card["validation"]
    if validation.get("by_dataset"):
        return "selected on both sets"
    return ratio(float(validation["objective_ratio"]))


def select(
    runs: Annotated[Path, typer.Argument(metavar="RUNS", help="The folder with the runs.")],
) -> None:
    """Print all candidates for each network of Table 1, the selected one first."""
    check_runs(runs)
    rows = []
    for name in TABLE_1:
        for number, each in enumerate(candidates(name, runs)):
            tests = [ratio(each.tests.get(title)) for title in TITLES.values()]
            chosen = f"`{name}`" if number == 0 else ""
            now = shipped_validation(name) if number == 0 else ""
            rows.append([chosen, each.run.name, ratio(each.validation), now, *tests])
    columns = ["network", "run", "validation", "shipped now", *TITLES.values()]
    print(*table(columns, rows, 2), sep="\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(select, "python -m paper.retrain.select", arguments)


if __name__ == "__main__":
    sys.exit(main())
