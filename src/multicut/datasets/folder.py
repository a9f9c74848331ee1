"""Folders as a file with many problems: a dataset, or whatever files a folder holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from multicut.datasets.container import is_container
from multicut.datasets.corpora import problem_files
from multicut.datasets.dataset import Dataset
from multicut.io import ProblemCollection, open_file
from multicut.io.record import Loader


def open_folder(path: Path) -> ProblemCollection:
    """Return the problems of a folder by name, each built when it is asked for.

    Those of a dataset know their best solution; those of files keep their node ids. The names
    are those of :func:`multicut.datasets.open_dataset`, but each occurs once.
    """
    if is_container(path):
        return problems_of(Dataset.load(path), path)
    loaders: dict[str, Loader] = {}
    for file in problem_files(path):
        opened = open_file(file)
        for name in opened:
            own = file.name if len(opened) == 1 else f"{file.name}/{name}"
            loaders[own] = partial(opened.__getitem__, name)
    return ProblemCollection(path, "folder", loaders)


def problems_of(dataset: Dataset, path: Path) -> ProblemCollection:
    """Return the problems of a dataset by name; `path` is what messages call it."""
    names = _distinct(dataset.names)
    loaders = {name: partial(dataset.__getitem__, i) for i, name in enumerate(names)}
    return ProblemCollection(path, "dataset", loaders)


def _distinct(names: Iterable[str]) -> list[str]:
    """Return the names with a number where one occurs again: ``a``, ``a (2)``."""
    seen: Counter[str] = Counter()
    distinct: dict[str, None] = {}
    for name in names:
        own = name
        while own in distinct:
            seen[name] += 1
            own = f"{name} ({seen[name] + 1})"
        distinct[own] = None
    return list(distinct)
