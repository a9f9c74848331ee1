"""Files of numpy: .npy and .npz."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._target import open_target
from multicut.io.errors import DAMAGE, shortened
from multicut.vision.files.record import ArrayFormat, choose_dataset

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def _read_npy(path: Path, dataset: str | None) -> NDArray[Any]:  # noqa: ARG001
    with path.open("rb") as file:
        try:
            return np.asarray(np.lib.format.read_array(file, allow_pickle=False))
        except (ValueError, *DAMAGE) as error:
            raise ValueError(shortened(f"{path}: not an array of numpy ({error})")) from error


def _read_npz(path: Path, dataset: str | None) -> NDArray[Any]:
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise ValueError(f"{path}: not an archive of numpy")
        file.seek(0)
        with np.load(file, allow_pickle=False) as arrays:
            name = choose_dataset(path, list(arrays.files), dataset)
            try:
                return np.asarray(arrays[name])
            except (ValueError, *DAMAGE) as error:
                text = f"{path}: {name} is not an array of numpy ({error})"
                raise ValueError(shortened(text)) from error


def _write_npy(path: Path, dataset: str | None, array: NDArray[Any]) -> None:  # noqa: ARG001
    with open_target(path) as file:
        np.save(file, array, allow_pickle=False)


def _write_npz(path: Path, dataset: str | None, array: NDArray[Any]) -> None:
    with open_target(path) as file:
        arrays: dict[str, Any] = {dataset or "labels": array}
        np.savez_compressed(file, **arrays)


NPY = ArrayFormat("npy", "one array of numpy", (".npy",), _read_npy, _write_npy)
NPZ = ArrayFormat("npz", "named arrays of numpy", (".npz",), _read_npz, _write_npz, True)
