"""Graphs that ship and their cycles in a folder, made once for several runs."""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.dataset import Dataset
from multicut.nn.cycles import CycleLists, list_chordless_cycles
from multicut.training.named_graphs import named_graphs


class GraphStore:
    """Keeps graphs and lists of their cycles as plain arrays in a folder.

    Runs side by side thus neither draw graphs nor list cycles again, which for RandomMP takes
    longer than a short run. What is there is complete, also if several processes make it at once.
    Datasets in files are read anew each time, and their cycles listed anew, since files may change.

    Parameters
    ----------
    folder
        Where they are kept.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._folder = Path(folder)

    def graphs(self, name: str, split: str) -> Dataset:
        """Return the graphs of a name; :func:`named_graphs` explains the arguments."""
        if _may_change(name):
            return named_graphs(name, split)
        place = self._place(name, split)
        if not place.exists():
            arrays = named_graphs(name, split).arrays()
            self._write(place, {each.name: getattr(arrays, each.name) for each in fields(arrays)})
        found = _read(place)
        kept: dict[str, Any] = {each.name: found.get(each.name) for each in fields(DatasetArrays)}
        return Dataset(DatasetArrays(**kept), name=name)

    def cycles(self, name: str, split: str, max_length: int) -> CycleLists:
        """Return the chordless cycles of all of these graphs."""
        if _may_change(name):
            return self._list_cycles(name, split, max_length)
        place = self._place(name, split, max_length)
        if not place.exists():
            lists = self._list_cycles(name, split, max_length)
            content: dict[str, Any] = {f"rows-{i}": rows for i, rows in enumerate(lists.rows)}
            content |= {f"offsets-{i}": offsets for i, offsets in enumerate(lists.offsets)}
            self._write(place, content)
        found = _read(place)
        numbers = range(len(found) // 2)
        return CycleLists(
            rows=tuple(found[f"rows-{i}"] for i in numbers),
            offsets=tuple(found[f"offsets-{i}"] for i in numbers),
        )

    def has(self, name: str, split: str, max_length: int | None = None) -> bool:
        """Whether graphs, or their cycles up to a length, need not be made first."""
        return _may_change(name) or self._place(name, split, max_length).exists()

    def _list_cycles(self, name: str, split: str, max_length: int) -> CycleLists:
        arrays = self.graphs(name, split).arrays()
        return list_chordless_cycles(
            arrays.edges, arrays.node_offsets, arrays.edge_offsets, max_length
        )

    def _place(self, name: str, split: str, max_length: int | None = None) -> Path:
        digest = hashlib.sha256(name.encode()).hexdigest()[:8]
        ending = "" if max_length is None else f"-cycles-{max_length}"
        return self._folder / f"{digest}-{split}{ending}"

    def _write(self, place: Path, arrays: dict[str, Any]) -> None:
        """Write all arrays, or nothing."""
        draft = place.with_name(f"{place.name}.{os.getpid()}")
        draft.mkdir(parents=True, exist_ok=True)
        for name, array in arrays.items():
            if array is not None:
                np.save(draft / f"{name}.npy", array)
        try:
            draft.rename(place)
        except OSError:  # another process was faster
            shutil.rmtree(draft)


def _may_change(name: str) -> bool:
    """Whether a name is a path; what ships under a name stays as it is."""
    return Path(name).exists()


def _read(place: Path) -> dict[str, Any]:
    return {path.stem: np.load(path) for path in sorted(place.glob("*.npy"))}
