"""Turn labelled datasets into the label files of the package; for maintainers.

``python -m tools.ship_labels DATASET …`` writes them to ``multicut/datasets/labels``, and
loads each again to make sure. ``make labels`` does everything.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from multicut._words import count
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


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.ship_labels",
        description="Write label files of labelled datasets.",
    )
    parser.add_argument("dataset", nargs="+", type=Path, help="a folder of `multicut generate`")
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="where label files go")
    given = parser.parse_args(arguments)
    for dataset in given.dataset:
        path = ship(dataset, given.output)
        print(f"{path}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
