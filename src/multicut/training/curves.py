"""Loss curves that survive a kill and a resumption: CSV files, and TensorBoard's beside them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from multicut._target import write_whole

if TYPE_CHECKING:
    from torch.utils.tensorboard import SummaryWriter

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


class Curves:
    """The curves of a run.

    Parameters
    ----------
    folder
        Where they are: ``training.csv``, ``validation.csv`` and the folder ``tensorboard``.
    last_step
        What was written after this step is dropped.
    writer
        Writes for TensorBoard; None where it is not installed.
    """

    def __init__(self, folder: Path, last_step: int, writer: SummaryWriter | None) -> None:
        columns = {"training": TRAINING_COLUMNS, "validation": VALIDATION_COLUMNS}
        self._files = {
            name: Curve(folder / f"{name}.csv", each, last_step) for name, each in columns.items()
        }
        self._writer = writer

    def add(self, name: str, step: int, instances: int, values: Mapping[str, float | None]) -> None:
        """Add a row to the curve of training or of validation."""
        self._files[name].append({"step": step, "instances": instances, **values})
        if self._writer is not None:
            for key, value in values.items():
                if value is not None:
                    self._writer.add_scalar(f"{name}/{key}", value, instances)


@contextmanager
def open_curves(folder: Path, last_step: int, batch_size: int) -> Iterator[Curves]:
    """Open the curves of a run that goes on after a step, or begins with step 0."""
    if find_spec("tensorboard") is None:
        yield Curves(folder, last_step, None)
        return
    from torch.utils.tensorboard import SummaryWriter

    # What was logged after the checkpoint will come again.
    purge_step = last_step * batch_size + 1 if last_step else None
    with SummaryWriter(str(folder / "tensorboard"), purge_step=purge_step) as writer:
        yield Curves(folder, last_step, writer)


def read_curve(path: Path) -> list[dict[str, str]]:
    """Return the rows of a curve; none if there is no such file yet."""
    if not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))
