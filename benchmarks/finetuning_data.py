"""Labelled graphs for the finetuning study: build/finetuning/{bsds300,cremi,knott}/{train,valid}.

Published corpora are divided as in the paper. Where a folder has only stand-ins for them, these are
taken: region graphs of Berkeley images (the first 70 %, the next 20 %), and connected pieces of the
CREMI and Knott graphs, which come divided. Every graph is solved by ``ilp``. A dataset says whether
its graphs are stand-ins and which files they are from; one from other files is made anew. Run it
from a checkout: ``python -m benchmarks.finetuning_data FOLDER``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import multicut as mc
from multicut.cli.arguments import check_data
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.corpora import read_file
from paper.published_graphs import TITLES, find_published, fingerprint

PARTS = ("train", "valid")
BERKELEY = Path("bsds", "bsds_ucm_a.npz")
PIECES = {
    "cremi": ("CREMI-C",),
    "knott": ("knott-3d-150", "knott-3d-300", "knott-3d-450"),
}


@dataclass(frozen=True)
class Source:
    """What one part of a corpus is made of: its files, and what reads them."""

    is_stand_in: bool
    files: tuple[Path, ...]
    read: Callable[[], mc.Dataset]

    @property
    def info(self) -> dict[str, Any]:
        """What a dataset says of its source."""
        return {"is_stand_in": self.is_stand_in, "files": fingerprint(self.files)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write what is missing or from other files; return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with the corpora or their stand-ins")
    parser.add_argument("--output", "-o", type=Path, default=Path("build/finetuning"))
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each graph")
    options = parser.parse_args(arguments)
    try:
        check_data(options.data)
        for name in TITLES:
            for part in PARTS:
                make_part(name, part, options.data, options.output, options.time_limit)
    except (ValueError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def make_part(name: str, part: str, data: Path, output: Path, time_limit: float) -> None:
    """Write one part of a corpus, if `data` has it and it is not written yet."""
    folder = output / name / part
    source = find_source(name, part, data)
    if source is None:
        print(f"{folder}: skipped, {data} has neither {TITLES[name]} nor its stand-in")
        return
    if folder.exists():
        if source.info.items() <= mc.Dataset.load(folder).info.items():
            print(f"{folder}: kept, it is from these files")
            return
        print(f"{folder}: made anew, it is from other files; train runs on it anew, too")
    graphs = source.read()
    graphs.info |= source.info
    labelled = graphs.label("ilp", time_limit=time_limit, num_workers=1)
    folder.parent.mkdir(parents=True, exist_ok=True)
    labelled.save(folder, overwrite=True)
    kind = "stand-ins" if source.is_stand_in else "published graphs"
    print(f"{folder}: {len(labelled)} {kind}, {int(labelled.optimal.sum())} proven optimal")


def find_source(name: str, part: str, data: Path) -> Source | None:
    """Return the source of one part of a corpus, or of its stand-in; None if both are absent."""
    published = find_published(name, data)
    if published is not None:
        return Source(False, published.files, partial(published.read, part))
    if name == "bsds300":
        files = [data / BERKELEY]
        read = partial(_images, part, files[0])
    else:
        files = [data / "opengm_subgraphs" / f"{piece}_{part}.npz" for piece in PIECES[name]]
        read = partial(_pieces, name, files)
    return Source(True, tuple(files), read) if all(file.is_file() for file in files) else None


def _images(part: str, file: Path) -> mc.Dataset:
    graphs = read_file(file)
    first, second = 7 * len(graphs) // 10, 9 * len(graphs) // 10
    return graphs[:first] if part == "train" else graphs[first:second]


def _pieces(name: str, files: Sequence[Path]) -> mc.Dataset:
    arrays = DatasetArrays.concatenate([read_file(file).arrays() for file in files])
    return mc.Dataset(arrays, name=f"pieces of {name}")


if __name__ == "__main__":
    sys.exit(main())
