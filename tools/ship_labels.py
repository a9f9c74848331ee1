"""Turn labelled datasets into the label files of the package; for maintainers.

``python -m tools.ship_labels DATASET …`` writes them to ``multicut/datasets/labels``, and
loads each again to make sure. ``make labels`` does everything.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from multicut._words import count
from multicut.cli.running import run_command
from multicut.datasets.container import load_dataset
from multicut.datasets.shipped import FOLDER, load_labels, save_labels


def ship(dataset_folder: Path, folder: Path = FOLDER) -> Path:
    """Write the label file of one dataset that ``multicut generate --label`` made."""
    dataset = load_dataset(dataset_folder, verify=True)
    if not dataset.optimal.all():
        missing = int((~dataset.optimal).sum())
        raise ValueError(
            f"{dataset_folder}: {missing:,} of {count(len(dataset), 'graph')} lack a proven "
            f"optimum; label without a limit"
        )
    folder.mkdir(exist_ok=True)
    path = save_labels(dataset, folder)
    load_labels(path)
    return path


def ship_labels(
    datasets: Annotated[
        list[Path],
        typer.Argument(metavar="DATASET", help="Folders that multicut generate --label wrote."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR",
            show_default=False,
            help="Where label files go; by default in the package.",
        ),
    ] = FOLDER,
) -> None:
    """Write the label files of labelled datasets."""
    for dataset in datasets:
        path = ship(dataset, output)
        print(f"{path}: {path.stat().st_size:,} bytes")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(ship_labels, "python -m tools.ship_labels", arguments)


if __name__ == "__main__":
    sys.exit(main())
