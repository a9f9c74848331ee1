"""Records of training runs that were never made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NETWORK = {
    "architecture": "gcn_w",
    "width": 128,
    "depth": 20,
    "batch_norm": True,
    "classifier_width": 256,
}
_SETTINGS = {
    "started_from": "",
    "network": NETWORK,
    "train": "randommp",
    "validation": "randommp",
    "num_validation": 500,
    "alpha": 0.0,
    "alpha_start": 100,
    "alpha_ramp": 100,
    "learning_rate": 0.001,
    "seed": 0,
    "stopped_by": "finished",
    "stand_ins": [],
}
_HEADER = "step,instances,bce,ccl,feasible_ratio,optimal_ratio,objective_ratio"


def write_run(folder: Path, name: str, rows: Sequence[tuple[float, ...]], **changes: Any) -> None:
    """Write a record.

    Rows are instances, feasible, optimal and objective ratio, and cross entropy if it matters;
    ``network`` replaces single fields.
    """
    folder.mkdir(exist_ok=True)
    network = NETWORK | changes.pop("network", {})
    settings = _SETTINGS | {"instances": rows[-1][0], "network": network} | changes
    (folder / f"{name}.json").write_text(json.dumps(settings))
    lines = [
        f"{step},{row[0]},{row[4] if len(row) > 4 else 0.2},50,{row[1]},{row[2]},{row[3]}"
        for step, row in enumerate(rows)
    ]
    (folder / f"{name}.csv").write_text("\n".join([_HEADER, *lines]) + "\n")
