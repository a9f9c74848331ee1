"""The five test sets: our own splits, published files where they are, else stand-ins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from multicut.datasets import Dataset, get_generator, open_dataset
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
    made_from
        What it takes to have them again: a generator with its options, or files.
    load
        Reads or draws them.
    """

    name: str
    source: str
    is_stand_in: bool
    made_from: dict[str, Any]
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
    sets = [_drawn(name) for name in ("IrisMP", "RandomMP")]
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
                    {"corpus": corpus},
                    partial(read_corpus, corpus, data),
                )
            )
        elif all(path.is_file() for path in paths):
            made_from = {"files": list(files)}
            joined = partial(_joined, name, paths)
            sets.append(EvaluationSet(name, description, True, made_from, joined))
    return sets


def _drawn(name: str) -> EvaluationSet:
    """Return a set of our own: graphs drawn from seeds, with the labels of the package."""
    generator = get_generator(name.lower())
    made_from = {
        "generator": generator.name,
        "split": "test",
        "options": generator.option_defaults,
        "labels": "proven optima of the package",
    }
    load = partial(open_dataset, generator.name, "test")
    return EvaluationSet(name, "test split", False, made_from, load)


def _joined(name: str, paths: list[Path]) -> Dataset:
    parts = [read_file(path) for path in paths]
    arrays = DatasetArrays.concatenate([part.arrays() for part in parts])
    return Dataset(arrays, name=name)
