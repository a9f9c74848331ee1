"""Reading true segmentations: Berkeley files, label images, HDF5, numpy."""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.io.errors import Advice, FormatError

if TYPE_CHECKING:
    from multicut._arrays import IntArray

_HDF5 = (".h5", ".hdf5", ".hdf")


def read_ground_truth(
    path: str | os.PathLike[str], dataset: str | None = None
) -> tuple[IntArray, ...]:
    """Read the true segmentations in a file: one, or as many as people have drawn.

    Parameters
    ----------
    path
        ``.mat``
            A file of the Berkeley segmentation dataset: every human segmentation in it.
        ``.h5``, ``.hdf5``, ``.hdf``
            An array of labels.
        ``.npy``
            An array of labels.
        anything else
            A label image or volume (PNG, TIFF, …); in a colour image, each colour is a segment.
    dataset
        Which array of an HDF5 file; not needed if there is only one.
    """
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    suffix = path.suffix.lower()
    if dataset is not None and suffix not in _HDF5:
        raise ValueError(f"dataset={dataset!r}: only HDF5 files have datasets, not {path.name!r}")
    if suffix == ".mat":
        found = _read_berkeley(path)
    elif suffix in _HDF5:
        found = [_read_hdf5(path, dataset)]
    elif suffix == ".npy":
        found = [_read_npy(path)]
    else:
        found = [_read_picture(path)]
    for labels in found:
        if not (np.issubdtype(labels.dtype, np.integer) or labels.dtype == np.bool_):
            raise FormatError(path, f"labels must be integers, got {labels.dtype}")
        if labels.ndim not in (2, 3) or labels.size == 0:
            raise FormatError(path, f"labels must be an image or a volume, got {labels.shape}")
    return tuple(labels.astype(np.int64) for labels in found)


def _read_berkeley(path: Path) -> list[Any]:
    """Read ``groundTruth{k}.Segmentation`` for each k."""
    from scipy.io import loadmat

    try:
        content = loadmat(path)["groundTruth"]
        return [np.asarray(one["Segmentation"][0, 0]) for one in content.ravel()]
    except KeyError:
        raise FormatError(path, "there is no variable groundTruth, as in Berkeley files") from None
    except NotImplementedError:
        raise FormatError(path, "Matlab 7.3 files cannot be read; save it with -v7") from None
    # What a damaged file does to the parser is not documented.
    except Exception as error:
        raise FormatError(path, f"not a Berkeley segmentation ({type(error).__name__})") from None


def _read_hdf5(path: Path, dataset: str | None) -> Any:
    import h5py

    try:
        with h5py.File(path, "r") as file:
            arrays: list[str] = []
            file.visititems(
                lambda name, item: arrays.append(name) if isinstance(item, h5py.Dataset) else None
            )
            if dataset is None and len(arrays) != 1:
                raise FormatError(
                    path,
                    f"it holds {len(arrays)} arrays ({', '.join(arrays)})",
                    advice=Advice("name one", "dataset"),
                )
            name = arrays[0] if dataset is None else dataset.strip("/")
            if name not in arrays:
                raise FormatError(path, f"there is no array {name!r}, only {', '.join(arrays)}")
            return file[name][()]
    except (OSError, RuntimeError) as error:
        raise FormatError(path, f"not a readable HDF5 file ({error})") from None


def _read_npy(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise FormatError(path, f"not an array of numpy ({error})") from None


def _read_picture(path: Path) -> Any:
    from skimage import io
    from tifffile import imread

    try:
        is_tiff = path.suffix.lower() in (".tif", ".tiff")
        labels = imread(path) if is_tiff else np.asarray(io.imread(BytesIO(path.read_bytes())))
    # The libraries behind it raise whatever they like.
    except Exception as error:
        raise FormatError(path, f"not a readable image ({type(error).__name__})") from None
    if labels.ndim == 3 and labels.shape[-1] in (3, 4):
        pixels = labels[..., :3].astype(np.int64)
        return (pixels[..., 0] << 32) | (pixels[..., 1] << 16) | pixels[..., 2]
    return labels
