"""Runs that begin alike are trained once up to where they part.

Until cycle consistency begins, its weight plays no part. So runs that differ in nothing else are
one run until then, the trunk. Each of them goes on from its checkpoint, which says which run it
belongs to, exactly as if it had been trained from the beginning.
"""

from __future__ import annotations

import csv
import hashlib
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from multicut._target import write_whole
from multicut.training.checkpoint import checkpoint_path, save_checkpoint
from multicut.training.config import TrainingConfig
from multicut.training.curves import VALIDATION_COLUMNS, read_curve

#: What the trunk does not depend on: the cycle phase, the length, and what is only seen.
_BRANCH = (
    "alpha",
    "alpha_start",
    "alpha_ramp",
    "ccl_reduction",
    "ccl_edges",
    "max_cycle_length",
    "instances",
    "output",
    "validate_every",
    "checkpoint_every",
    "log_every",
    "accelerator",
    "cuda_graph",
)


def trunk_of(config: TrainingConfig) -> str | None:
    """Return the name of a run's trunk; None if it has none.

    Where the learning rate falls, it depends on the length of the run; a run that finetunes begins
    with cycle consistency.
    """
    if config.decay != "none" or config.finetune or config.loss != "bce":
        return None
    if not 0 < config.alpha_start < config.instances:
        return None
    rest = {name: value for name, value in config.to_dict().items() if name not in _BRANCH}
    digest = hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()[:8]
    return f"{config.network.architecture}-{config.learns_from}-{config.seed}-{digest}"


def trunk_config(runs: Sequence[TrainingConfig], end: int, folder: Path) -> TrainingConfig:
    """Return the settings of the trunk of some runs, up to where one leaves it.

    They may depend on the runs together, but not on the end: a trunk goes on after its first end.
    It is validated less often than a cycle phase, which is short.
    """
    default = TrainingConfig()
    same = ("alpha_start", "alpha_ramp", "ccl_reduction", "ccl_edges")
    return runs[0].updated(
        {
            **{name: getattr(default, name) for name in same},
            "alpha": 0.0,
            "max_cycle_length": max(run.max_cycle_length for run in runs),
            "validate_every": 4 * max(run.validate_every for run in runs),
            "instances": end,
            "output": str(folder),
        }
    )


def branch_off(trunk: Path, config: TrainingConfig) -> None:
    """Begin a run with the last checkpoint, the curves and the best model of its trunk."""
    folder = Path(config.output)
    if checkpoint_path(folder).exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    content: dict[str, Any] = torch.load(
        checkpoint_path(trunk), map_location="cpu", weights_only=True
    )
    before = content["multicut"]["config"]
    own = config.to_dict()
    content["multicut"]["config"] = {**before, **{name: own[name] for name in _BRANCH}}
    for name in ("training.csv", "model.safetensors"):
        if (trunk / name).exists():
            shutil.copyfile(trunk / name, folder / name)
    _copy_validation(
        trunk, folder, same_cycles=before["max_cycle_length"] == own["max_cycle_length"]
    )
    _copy_card(trunk, folder, own)
    save_checkpoint(folder, content)  # the last thing: without it, nothing counts


def _copy_validation(trunk: Path, folder: Path, *, same_cycles: bool) -> None:
    """Copy the curve of validation, less what was measured with cycles of another length."""
    rows = read_curve(trunk / "validation.csv")
    with (folder / "validation.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, VALIDATION_COLUMNS)
        writer.writeheader()
        for row in rows:
            writer.writerow(row if same_cycles else {**row, "ccl": ""})


def _copy_card(trunk: Path, folder: Path, own: dict[str, Any]) -> None:
    path = trunk / "model.json"
    if not path.exists():
        return
    card = json.loads(path.read_text(encoding="utf-8"))
    instances = card["training"]["instances"]
    changes = {name: own[name] for name in _BRANCH if name in card["training"]}
    card["training"] |= {**changes, "instances": instances}
    write_whole(folder / "model.json", json.dumps(card, indent=2, ensure_ascii=False) + "\n")
