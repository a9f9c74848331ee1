"""Files of numpy: .npy and .npz."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._target import open_target
from multicut.io.errors import DAMAGE, shortened
from multicut.io.numpy_files import read_npy, unpack_npy
from multicut.vision.files.record import ArrayFormat, choose_dataset

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def _read_npy(path: Path, dataset: str | None) -> NDArray[Any]:  # noqa: ARG001
    try:
        return read_npy(path)
    except ValueError as error:
        raise ValueError(shortened(f"{path}: not an array of numpy ({error})")) from error


def _read_npz(path: Path, dataset: str | None) -> NDArray[Any]:
    with path.open("rb") as file:
        try:
            archive = zipfile.ZipFile(file)
        except (ValueError, *DAMAGE) as error:
            text = f"{path}: not an archive of numpy ({error})"
            raise ValueError(shortened(text)) from None
        with archive:
            members = {name.removesuffix(".npy"): name for name in archive.namelist()}
            name = choose_dataset(path, list(members), dataset)
            try:
                return np.array(unpack_npy(archive.read(members[name])))
            except (ValueError, TypeError, RecursionError, *DAMAGE) as error:
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
