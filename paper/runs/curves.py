"""Validation curves of training runs, with their settings."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut.training.config import TrainingConfig
from multicut.training.curves import read_curve
from multicut.training.schedule import Ramp
from paper.section import listed

#: What validations tell of partitions.
MEASURES = ("feasible_ratio", "optimal_ratio", "objective_ratio")
#: And of losses as well.
ALL_MEASURES = (*MEASURES, "bce", "ccl")
#: What else than the network, its start, the length and the cycle phase makes two runs alike.
RECIPE = (
    "train",
    "num_train",
    "loss",
    "scale_free",
    "batch_size",
    "learning_rate",
    "weight_decay",
    "warm_up",
    "decay",
    "clip",
    "freeze",
    "seed",
)
#: All that the cycle phase depends on.
CYCLES = (
    "alpha",
    "alpha_start",
    "alpha_ramp",
    "ccl_reduction",
    "ccl_edges",
    "max_cycle_length",
)
#: The graphs that a run was validated on; values of other graphs are not comparable.
VALIDATION = ("validation", "num_validation")

#: What products of matrices are computed in. It may be another one than that of the configuration.
PRECISION = "precision"


@dataclass(frozen=True)
class Run:
    """One run: its name, settings, validations as numbers, and the folder of its record."""

    name: str
    settings: dict[str, Any]
    rows: list[dict[str, float]]
    folder: str

    @property
    def network(self) -> dict[str, Any]:
        """The shape of its network."""
        return dict(self.settings["network"])

    @property
    def is_proposed(self) -> bool:
        """Whether its network is the one that the paper proposes, GCN_W_BN."""
        network = self.network
        return network.get("architecture") == "gcn_w" and bool(network.get("batch_norm"))

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """The sets it was tested or trained on that are others than the published ones."""
        return tuple(self.settings["stand_ins"])

    @property
    def started_from(self) -> str:
        """The run whose best network this one finetunes; empty if none."""
        return name_of_run(str(self.settings["started_from"]))

    @property
    def train(self) -> str:
        """The graphs that it was trained on."""
        return str(self.settings["train"])

    @property
    def planned_instances(self) -> int:
        """How long it should have gone on, however it ended."""
        return int(self.settings.get("planned_instances") or self.settings["instances"])

    @property
    def tested(self) -> dict[str, float]:
        """The objective ratio on each test set that its model was measured on."""
        return dict(self.settings.get("test", {}))

    @property
    def validation_weights(self) -> dict[str, float]:
        """The weight of each set of graphs that it was validated on."""
        validation = self.settings["validation"]
        return dict(validation) if isinstance(validation, Mapping) else {str(validation): 1.0}

    @property
    def before(self) -> dict[str, float] | None:
        """What the network that it finetunes was on its own validation graphs, where measured."""
        found = self.settings.get("before")
        if not isinstance(found, Mapping):
            return None
        return {name: float(value) for name, value in found.items() if value is not None}

    @property
    def ratio_before(self) -> float | None:
        """The objective ratio of that network; all that older records know of it."""
        found = self.settings.get("before")
        return found["objective_ratio"] if isinstance(found, Mapping) else found

    @property
    def cycles_from(self) -> int:
        """The instance from which on CCL has a weight."""
        return int(self.settings["alpha_start"])

    @property
    def has_cycle_phase(self) -> bool:
        """Whether a validation was made after CCL had got a weight."""
        return self.settings["alpha"] > 0 and self.last["instances"] > self.cycles_from

    @property
    def alpha(self) -> float:
        """The weight of CCL in the end; 0 if it never got one."""
        return float(self.settings["alpha"]) if self.has_cycle_phase else 0.0

    @property
    def rate(self) -> str:
        """How the learning rate goes, in a word."""
        return "constant" if self.settings["decay"] == "none" else str(self.settings["decay"])

    @property
    def best(self) -> dict[str, float]:
        """The validation of the network that was kept."""
        return max(self.rows, key=lambda row: row["objective_ratio"])

    @property
    def last(self) -> dict[str, float]:
        """The last validation."""
        return self.rows[-1]

    @property
    def before_cycles(self) -> dict[str, float] | None:
        """The last validation without CCL, or None if there was none."""
        earlier = [row for row in self.rows if row["instances"] <= self.cycles_from]
        return earlier[-1] if earlier else None

    @property
    def best_with_cycles(self) -> dict[str, float] | None:
        """The best validation with CCL, or None if there was none."""
        later = [row for row in self.rows if row["instances"] > self.cycles_from]
        return max(later, key=lambda row: row["objective_ratio"], default=None)

    def is_in_lower_precision(self) -> bool:
        """Whether it computed products of matrices in less than float32."""
        return bool(self.settings[PRECISION] != TrainingConfig.precision)

    def alpha_at(self, instances: float) -> float:
        """Return the weight of CCL after so many instances."""
        settings = self.settings
        ramp = Ramp(0.0, settings["alpha"], settings["alpha_start"], settings["alpha_ramp"])
        return ramp.at(int(instances))

    def recipe(self, without: Collection[str] = ()) -> str:
        """Return all that the result should depend on, as one text.

        Parameters
        ----------
        without
            Settings that are left out: names of settings, fields of the network such as ``depth``,
            and ``cycles``, which is all that CCL depends on.
        """
        parts = {
            name: self.settings[name] for name in (*RECIPE, *VALIDATION, PRECISION)
        } | self.network
        parts |= {"started_from": self.started_from, "instances": self.planned_instances}
        cycles = [self.settings[name] for name in CYCLES]
        parts["cycles"] = cycles if self.has_cycle_phase else None
        kept = {name: value for name, value in parts.items() if name not in without}
        return json.dumps(kept, sort_keys=True)


def note_on_precision(runs: Iterable[Run]) -> str:
    """Return a sentence that names the runs of a lower precision; empty if there is none."""
    names = [f"`{run.name}`" for run in runs if run.is_in_lower_precision()]
    if not names:
        return ""
    return f"Products of matrices are in bfloat16 in {listed(names)}, elsewhere in float32. "


def name_of_run(model: str) -> str:
    """Return the name of the run that a model is of, given by name or path."""
    path = Path(model)
    if path.suffix in (".safetensors", ".json"):
        path = path.with_suffix("")
    return path.parent.name if path.name == "model" and path.parent.name else path.name


def read_runs(folder: Path) -> dict[str, Run]:
    """Read all runs of a folder: ``NAME.csv`` and ``NAME.json`` each."""
    # A setting that a record does not know is newer than its run, which was as by default.
    defaults = TrainingConfig().to_dict()
    runs = {}
    for file in sorted(folder.glob("*.csv")):
        record = file.with_suffix(".json")
        settings = json.loads(record.read_text(encoding="utf-8"))
        if not isinstance(settings.get("stand_ins"), list):
            raise ValueError(
                f"{record} lacks stand_ins, the list of its sets that are others than published; "
                f"add it, [] if there is none"
            )
        rows = [
            {key: float(value) for key, value in row.items() if value != ""}
            for row in read_curve(file)
        ]
        if rows:
            runs[file.stem] = Run(file.stem, defaults | settings, rows, folder.name)
    return runs
