"""Loss curves as CSV files that survive a kill and a resumption."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from multicut._target import write_whole

TRAINING_COLUMNS = (
    "step",
    "instances",
    "loss",
    "bce",
    "ccl",
    "objective",
    "cycle_weight",
    "learning_rate",
    "instances_per_second",
)
VALIDATION_COLUMNS = (
    "step",
    "instances",
    "bce",
    "ccl",
    "feasible_ratio",
    "optimal_ratio",
    "objective_ratio",
)


class Curve:
    """A CSV file to which rows are appended, the first column of which is the step.

    Parameters
    ----------
    path
        The file.
    columns
        Its columns; what a row lacks stays empty.
    last_step
        Rows after this step are dropped: they were written after the checkpoint that training is
        resumed from, and will come again.
    """

    def __init__(self, path: Path, columns: tuple[str, ...], last_step: int) -> None:
        self._path = path
        self._columns = columns
        kept = [row for row in read_curve(path) if int(row["step"]) <= last_step]
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(kept)
        write_whole(path, text.getvalue())

    def append(self, row: Mapping[str, float | None]) -> None:
        """Write one row; it is on disk when this returns."""
        with self._path.open("a", newline="") as file:
            csv.DictWriter(file, self._columns).writerow(row)


def read_curve(path: Path) -> list[dict[str, str]]:
    """Return the rows of a curve; none if there is no such file yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
