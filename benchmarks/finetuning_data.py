"""Labelled graphs for the finetuning study: build/finetuning/{bsds300,cremi,knott}/{train,valid}.

Published corpora are divided as in the paper. Where a folder has only stand-ins for them, these are
taken: region graphs of Berkeley images (the first 70 %, the next 20 %), and connected pieces of the
CREMI and Knott graphs, which come divided. Every graph is solved by ``ilp``.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import multicut as mc
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.corpora import get_corpus, read_corpus, read_file

PARTS = ("train", "valid")
PIECES = {
    "cremi": ("CREMI-C",),
    "knott": ("knott-3d-150", "knott-3d-300", "knott-3d-450"),
}


def main() -> None:
    """Write what is missing."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with the corpora or their stand-ins")
    parser.add_argument("--output", "-o", type=Path, default=Path("build/finetuning"))
    parser.add_argument("--time-limit", type=float, default=60.0, help="seconds for each graph")
    arguments = parser.parse_args()
    for name in ("bsds300", "cremi", "knott"):
        for part in PARTS:
            folder = arguments.output / name / part
            if folder.exists():
                continue
            graphs = read_part(name, part, arguments.data)
            labelled = graphs.label("ilp", time_limit=arguments.time_limit, num_workers=1)
            folder.parent.mkdir(parents=True, exist_ok=True)
            labelled.save(folder)
            print(f"{folder}: {len(labelled)} graphs, {int(labelled.optimal.sum())} proven optimal")


def read_part(name: str, part: str, data: Path) -> mc.Dataset:
    """Read the graphs of one part of a corpus, or of its stand-in."""
    folders = get_corpus(name).folders
    if any(found.is_dir() for pattern in folders for found in data.glob(pattern)):
        return read_corpus(name, data, part)
    if name == "bsds300":
        graphs = read_file(data / "bsds" / "bsds_ucm_a.npz")
        first, second = 7 * len(graphs) // 10, 9 * len(graphs) // 10
        return graphs[:first] if part == "train" else graphs[first:second]
    files = [data / "opengm_subgraphs" / f"{piece}_{part}.npz" for piece in PIECES[name]]
    arrays = DatasetArrays.concatenate([read_file(file).arrays() for file in files])
    return mc.Dataset(arrays, name=f"pieces of {name}")


if __name__ == "__main__":
    main()
