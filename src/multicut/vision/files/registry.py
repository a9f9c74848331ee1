"""Reading and writing of images, volumes and labels; the ending of a name decides the format."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multicut._registry import Registry
from multicut.io.source import check_file
from multicut.vision.files.chunked import N5, ZARR, check_chunked_target
from multicut.vision.files.hdf5 import HDF5
from multicut.vision.files.numpy_arrays import NPY, NPZ
from multicut.vision.files.pictures import BMP, JPEG, PNG, TIFF, WEBP
from multicut.vision.files.record import ArrayFormat

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_FORMATS: Registry[ArrayFormat] = Registry(
    "array format", (PNG, JPEG, WEBP, BMP, TIFF, HDF5, ZARR, N5, NPY, NPZ)
)
# The name of a file, and that of a dataset in it: `train.h5:volumes/raw`.
_WITH_DATASET = re.compile(r"(.+\.(?:h5|hdf5|hdf|npz|zarr|n5)):([^:]+)", re.IGNORECASE)


class Place(NamedTuple):
    """The place of an array: a file, its format, and the name of a dataset in it."""

    path: Path
    format: ArrayFormat
    dataset: str | None

    def __str__(self) -> str:
        return str(self.path) if self.dataset is None else f"{self.path}:{self.dataset}"


def list_array_formats() -> list[ArrayFormat]:
    """Return the file formats of images, volumes and labels."""
    return _FORMATS.matching("*")


def find_place(path: str | os.PathLike[str], dataset: str | None = None) -> Place:
    """Return the place that a path names, which may end in a dataset: ``file.h5:dataset``."""
    text = os.fspath(path)
    match = _WITH_DATASET.fullmatch(text)
    if match is not None and not Path(text).exists():
        if dataset is not None and dataset != match[2]:
            raise ValueError(f"{text} names the dataset {match[2]!r}, but dataset={dataset!r}")
        text, dataset = match[1], match[2]
    suffix = Path(text).suffix.lower()
    for record in _FORMATS:
        if suffix in record.suffixes:
            if dataset is not None and not record.has_datasets:
                raise ValueError(f"{text}: files of {record.name} hold no dataset {dataset!r}")
            return Place(Path(text), record, dataset)
    known = ", ".join(suffix for record in _FORMATS for suffix in record.suffixes)
    raise ValueError(f"{text}: unknown kind of file; names must end in one of {known}")


def read_image(path: str | os.PathLike[str], dataset: str | None = None) -> NDArray[Any]:
    """Read an image, a volume, a probability map or labels.

    Parameters
    ----------
    path
        PNG, JPEG, WebP, BMP, TIFF (also stacks), HDF5, zarr, N5 or numpy, by the ending of the
        name. A dataset may follow after a colon: ``"train.h5:volumes/raw"``.
    dataset
        The array to read, if a file holds several.
    """
    place = find_place(path, dataset)
    if place.format not in (ZARR, N5):  # these are folders
        check_file(place.path)
    array = place.format.read(place.path, place.dataset)
    if array.dtype.kind not in "uifb":
        raise ValueError(f"{place}: must contain numbers, got {array.dtype}")
    return array


def read_volume(path: str | os.PathLike[str], dataset: str | None = None) -> NDArray[Any]:
    """Read an array of three axes or more, as :func:`read_image` does."""
    array = read_image(path, dataset)
    if array.ndim < 3:
        raise ValueError(f"{path}: a volume has three axes, got shape {array.shape}")
    return array


def write_image(path: str | os.PathLike[str], image: ArrayLike, dataset: str | None = None) -> None:
    """Write an array without conversion, in the format of the name's ending.

    Other datasets in files of HDF5, zarr and N5 are kept. A file of HDF5 is copied first, so that
    it is kept if writing fails.
    """
    place = find_place(path, dataset)
    place.format.write(place.path, place.dataset, np.asarray(image))


def check_labels_place(path: str | os.PathLike[str]) -> Place:
    """Raise an error, before any work is done, if labels cannot be written to a file."""
    from multicut._target import check_target

    place = find_place(path)
    if not place.format.label_types:
        raise ValueError(
            f"{place}: files of {place.format.name} cannot hold labels; "
            f"use .png, .tif, .h5, .zarr or .npy"
        )
    if place.path.suffix.lower() in (".zarr", ".n5"):
        if not place.path.parent.is_dir():
            raise FileNotFoundError(
                f"{place.path}: there is no folder {str(place.path.parent)!r}; create it first"
            )
        check_chunked_target(place.path, place.dataset)
    else:
        check_target(place.path)
    return place


def has_no_negatives(record: ArrayFormat) -> bool:
    """Whether a format lacks negative labels, so that :func:`write_labels` adds 1 to make room."""
    return record.label_types[0].startswith("u")


def check_labels_shape(path: str | os.PathLike[str], shape: tuple[int, ...]) -> None:
    """Raise an error, before any work is done, if a file cannot hold labels of this shape."""
    place = find_place(path)
    if len(shape) == 3 and place.format is PNG:
        raise ValueError(
            f"{place}: a picture cannot hold the labels of a volume; "
            f"use .tif, .h5, .zarr, .n5 or .npy"
        )


def write_labels(
    path: str | os.PathLike[str], labels: ArrayLike, dataset: str | None = None
) -> None:
    """Write labels in the smallest integer type of the format that holds them.

    PNG and TIFF cannot hold negative numbers. If some labels are -1, outside of a mask, all labels
    are written plus 1, so that 0 is the outside.

    A PNG of up to 256 labels has a palette, so that viewers show each in a colour of its own;
    :func:`read_image` returns the labels, and ``numpy.asarray(PIL.Image.open(path))`` does as well.
    With more labels it has 16 bits, which viewers show almost black:
    ``write_image("preview.png", label_colours(labels))`` writes a coloured picture.
    """
    place = find_place(path, dataset)
    check_labels_place(str(place))
    array = np.asarray(labels)
    if array.dtype.kind not in "iub":
        raise TypeError(f"labels must be integers, got {array.dtype}")
    types = place.format.label_types
    low, high = int(array.min(initial=0)), int(array.max(initial=0))
    has_outside = low < 0 and has_no_negatives(place.format)
    if has_outside:
        if low < -1:
            raise ValueError(
                f"{place}: {place.format.name} holds no labels below -1, got {low}; "
                f"use .h5, .zarr or .npy"
            )
        array, high = array.astype(np.int64) + 1, high + 1
    chosen = next((t for t in types if high <= np.iinfo(t).max), None)
    if chosen is None:
        raise ValueError(
            f"{place}: {place.format.name} holds labels up to {np.iinfo(types[-1]).max}, "
            f"got {high}; use .tif, .h5, .zarr or .npy"
        )
    if place.format.write_labels is not None:
        place.format.write_labels(place.path, array.astype(chosen), has_outside)
    else:
        place.format.write(place.path, place.dataset, array.astype(chosen))
