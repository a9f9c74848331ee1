"""Datasets of HDF5 files."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut._target import open_target
from multicut.io.errors import shortened
from multicut.io.hdf5 import DAMAGED_HDF5, claims_too_much, edit_hdf5
from multicut.vision.files.record import ArrayFormat, choose_dataset

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


# A larger block than the usual one: files of volumes are large.
_BLOCK = 1 << 24


def _read_hdf5(path: Path, dataset: str | None) -> NDArray[Any]:
    needed("h5py", by=f"{path}: an HDF5 file")
    import h5py

    with path.open("rb"):
        pass
    try:
        with h5py.File(path, "r") as file:
            names: list[str] = []
            file.visititems(
                lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None
            )
            chosen = file[choose_dataset(path, names, dataset)]
            if claims_too_much(chosen):
                raise OSError(f"shape {chosen.shape} is more than the file can hold")
            return np.asarray(chosen[()])
    except DAMAGED_HDF5 as error:
        if str(error).startswith(f"{path}: "):  # says already what is missing
            raise
        raise ValueError(shortened(f"{path}: cannot be read as HDF5 ({error})")) from error


def _write_hdf5(path: Path, dataset: str | None, array: NDArray[Any]) -> None:
    """Write one dataset and keep all others in the file.

    An existing file is copied first, so that it is kept if writing fails.
    """
    name = dataset or "labels"
    try:
        with open_target(path) as target:
            if path.is_file():
                with path.open("rb") as former:
                    shutil.copyfileobj(former, target, _BLOCK)
                target.seek(0)
            with edit_hdf5(target, "r+" if path.is_file() else "w") as file:
                _replace_dataset(file, path, name, array)
    except OSError as error:
        reason = error.strerror or " ".join(str(error).split())
        raise ValueError(f"{path}: cannot be written as HDF5 ({reason})") from error


def _replace_dataset(file: Any, path: Path, name: str, array: NDArray[Any]) -> None:
    import h5py

    if name in file:
        if not isinstance(file[name], h5py.Dataset):
            raise ValueError(f"{path}: {name!r} is a group in this file; choose another name")
        del file[name]
    file.create_dataset(name, data=array, compression="gzip", compression_opts=1)


HDF5 = ArrayFormat(
    "hdf5", "named datasets of HDF5", (".h5", ".hdf5", ".hdf"), _read_hdf5, _write_hdf5, True
)
