"""The frozen record of a file format for arrays."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray


@dataclass(frozen=True)
class ArrayFormat:
    """One kind of file that holds images, volumes or labels.

    Attributes
    ----------
    name, description
        The name, and one line about it.
    suffixes
        Endings of file names.
    read
        ``read(path, dataset)`` returns the array; `dataset` is None if none was named.
    write
        ``write(path, dataset, array)`` writes it.
    has_datasets
        Whether a file may hold several arrays, each with a name.
    label_types
        Types of integers for labels, of which the first that is large enough is written; none if
        the format cannot hold labels.
    write_labels
        ``write_labels(path, array, has_outside)`` writes labels such that they can be looked at;
        `has_outside` tells whether 0 stands for pixels outside of the mask. None: as other arrays.
    """

    name: str
    description: str
    suffixes: tuple[str, ...]
    read: Callable[[Path, str | None], NDArray[Any]]
    write: Callable[[Path, str | None, NDArray[Any]], None]
    has_datasets: bool = False
    label_types: tuple[str, ...] = ("int64",)
    write_labels: Callable[[Path, NDArray[Any], bool], None] | None = None


def choose_dataset(path: Path, names: list[str], dataset: str | None) -> str:
    """Return the dataset to read: the one that was named, or the only one there is."""
    if dataset is not None:
        if names == ["."]:
            raise ValueError(f"{path}: is an array itself; leave out the dataset {dataset!r}")
        if dataset.strip("/") not in names:
            raise ValueError(f"{path}: has no dataset {dataset!r}, only {_listed(names)}")
        return dataset.strip("/")
    if len(names) != 1:
        raise ValueError(
            f"{path}: holds {_listed(names)}; name one, as in {path.name}:{(names or ['NAME'])[0]}"
        )
    return names[0]


def _listed(names: list[str]) -> str:
    if not names:
        return "no dataset"
    shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
    return f"the datasets {shown}" if len(names) > 1 else f"the dataset {shown}"
