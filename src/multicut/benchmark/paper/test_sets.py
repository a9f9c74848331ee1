"""The five test sets: our own splits, published files where they are, else stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from multicut.datasets import Dataset, open_dataset
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.corpora import get_corpus, read_corpus, read_file


@dataclass(frozen=True)
class EvaluationSet:
    """One column of Table 1.

    Attributes
    ----------
    name
        The name of the published column.
    source
        What the graphs are.
    is_stand_in
        Whether they are others than the published ones.
    load
        Reads or draws them.
    """

    name: str
    source: str
    is_stand_in: bool
    load: Callable[[], Dataset]


# By column: the corpus, and the stand-in: what it is, and its files.
_CORPORA = {
    "BSDS300": (
        "bsds300",
        "region graphs of Berkeley images with costs from boundary strength and colour",
        ("bsds/bsds_ucm_a.npz",),
    ),
    "CREMI": ("cremi", "one region graph of CREMI volume C", ("em/CREMI-C_test.npz",)),
    "Knott": (
        "knott",
        "connected 50-node pieces of the Knott-3D graphs",
        tuple(f"opengm_subgraphs/knott-3d-{size}_valid.npz" for size in (150, 300, 450)),
    ),
}


def find_sets(data: Path | None) -> list[EvaluationSet]:
    """List the test sets that are at hand."""
    sets = [
        EvaluationSet(name, "test split", False, partial(open_dataset, name.lower(), "test"))
        for name in ("IrisMP", "RandomMP")
    ]
    if data is None:
        return sets
    for name, (corpus, description, files) in _CORPORA.items():
        folders = get_corpus(corpus).folders
        paths = [data / file for file in files]
        if any(found.is_dir() for pattern in folders for found in data.glob(pattern)):
            sets.append(
                EvaluationSet(
                    name,
                    "the published graphs",
                    False,
                    partial(read_corpus, corpus, data),
                )
            )
        elif all(path.is_file() for path in paths):
            sets.append(EvaluationSet(name, description, True, partial(_joined, name, paths)))
    return sets


def _joined(name: str, paths: list[Path]) -> Dataset:
    parts = [read_file(path) for path in paths]
    arrays = DatasetArrays.concatenate([part.arrays() for part in parts])
    return Dataset(arrays, name=name)
