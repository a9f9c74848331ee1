"""Reading of true segmentations from Berkeley files and label images."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.io.errors import FormatError
from multicut.io.source import check_file
from multicut.vision.files import find_place, read_image

if TYPE_CHECKING:
    from multicut._arrays import IntArray


def read_ground_truth(
    path: str | os.PathLike[str], dataset: str | None = None
) -> tuple[IntArray, ...]:
    """Read the true segmentations of a file: one, or several by different people.

    Parameters
    ----------
    path
        A ``.mat`` file of the Berkeley segmentation dataset, of which all human segmentations are
        read, or a file that :func:`multicut.vision.read_image` reads, such as PNG, TIFF or HDF5. In
        a colour image, each colour is a segment.
    dataset
        The array to read, if a file holds several.
    """
    is_berkeley = dataset is None and Path(path).suffix.lower() == ".mat"
    found = _read_berkeley(Path(path)) if is_berkeley else [_read_labels(path, dataset)]
    for labels in found:
        if not (np.issubdtype(labels.dtype, np.integer) or labels.dtype == np.bool_):
            raise ValueError(f"{path}: labels must be integers, got {labels.dtype}")
        if labels.ndim not in (2, 3) or labels.size == 0:
            raise ValueError(f"{path}: labels must be an image or a volume, got {labels.shape}")
    return tuple(labels.astype(np.int64) for labels in found)


def _read_berkeley(path: Path) -> list[Any]:
    """Read ``groundTruth{k}.Segmentation`` for each k."""
    from scipy.io import loadmat

    check_file(path)
    try:
        content = loadmat(path)["groundTruth"]
        return [np.asarray(one["Segmentation"][0, 0]) for one in content.ravel()]
    except KeyError:
        raise FormatError(path, "there is no variable groundTruth, as in Berkeley files") from None
    except NotImplementedError:
        raise FormatError(path, "Matlab 7.3 files cannot be read; save it with -v7") from None
    # The parser does not document its errors for damaged files.
    except Exception as error:
        raise FormatError(path, f"not a Berkeley segmentation ({type(error).__name__})") from None


def _read_labels(path: str | os.PathLike[str], dataset: str | None) -> Any:
    labels = read_image(path, dataset)
    is_picture = find_place(path, dataset).format.name in ("png", "jpeg", "tiff")
    if is_picture and labels.ndim == 3 and labels.shape[-1] in (3, 4) and labels.dtype == np.uint8:
        red, green, blue = np.moveaxis(labels[..., :3].astype(np.int64), -1, 0)
        return (red << 16) | (green << 8) | blue
    return labels
