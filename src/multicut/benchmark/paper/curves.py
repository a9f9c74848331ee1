"""Validation curves of training runs, with their settings."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut.training.curves import read_curve
from multicut.training.schedule import Ramp


@dataclass(frozen=True)
class Run:
    """One run: what it is called, its settings, and its validations as numbers."""

    name: str
    settings: dict[str, Any]
    rows: list[dict[str, float]]

    @property
    def started_from(self) -> str:
        """The run whose best network this one finetunes; empty if none."""
        return str(self.settings["started_from"])

    @property
    def tested(self) -> dict[str, float]:
        """The objective ratio on each test set that its model was measured on."""
        return dict(self.settings.get("test", {}))

    @property
    def cycles_from(self) -> int:
        """The instance from which on CCL has a weight."""
        return int(self.settings["alpha_start"])

    @property
    def has_cycle_phase(self) -> bool:
        """Whether a validation was made after CCL had got a weight."""
        return self.settings["alpha"] > 0 and self.rows[-1]["instances"] > self.cycles_from

    @property
    def best(self) -> dict[str, float]:
        """The validation of the network that was kept."""
        return max(self.rows, key=lambda row: row["objective_ratio"])

    def alpha_at(self, instances: float) -> float:
        """Return the weight of CCL after so many instances."""
        settings = self.settings
        ramp = Ramp(0.0, settings["alpha"], settings["alpha_start"], settings["alpha_ramp"])
        return ramp.at(int(instances))


def read_runs(folder: Path) -> dict[str, Run]:
    """Read all runs of a folder: ``NAME.csv`` and ``NAME.json`` each."""
    runs = {}
    for file in sorted(folder.glob("*.csv")):
        settings = json.loads(file.with_name(f"{file.stem}.json").read_text(encoding="utf-8"))
        rows = [
            {key: float(value) for key, value in row.items() if value != ""}
            for row in read_curve(file)
        ]
        if rows:
            runs[file.stem] = Run(file.stem, settings, rows)
    return runs
