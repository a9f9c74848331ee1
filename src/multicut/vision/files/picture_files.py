"""PNG, JPEG and TIFF."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._target import open_target
from multicut.vision.files.record import ArrayFormat

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


def _read_picture(path: Path, dataset: str | None) -> NDArray[Any]:  # noqa: ARG001
    import imageio.v3 as iio

    with path.open("rb"):  # a file that is missing or locked is not a damaged one
        pass
    try:
        # Inks of a printer are not red, green, blue and alpha, though there are four of them.
        is_printed = iio.immeta(path, index=0, plugin="pillow")["mode"] == "CMYK"
        # Cameras store photographs as they were held, and a note on how to turn them.
        options: dict[str, Any] = {"mode": "RGB"} if is_printed else {}
        array = np.asarray(iio.imread(path, index=0, plugin="pillow", rotate=True, **options))
    except Exception as error:  # whatever a decoder raises on bytes it cannot make sense of
        raise _unreadable(path, error) from error
    return _blended(array) if array.ndim == 3 and array.shape[-1] == 2 else array


def _blended(array: NDArray[Any]) -> NDArray[Any]:
    """Blend grey with white by its alpha, as colours are by theirs."""
    largest = np.iinfo(array.dtype).max
    grey, alpha = np.moveaxis(array.astype(np.float64), -1, 0) / largest
    blended: NDArray[Any] = np.rint((grey * alpha + 1 - alpha) * largest).astype(array.dtype)
    return blended


def _read_tiff(path: Path, dataset: str | None) -> NDArray[Any]:  # noqa: ARG001
    import tifffile

    with path.open("rb"):
        pass
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd tags that do not concern the pixels
            array = np.asarray(tifffile.imread(path))
    except Exception as error:
        raise _unreadable(path, error) from error
    return array


def _unreadable(path: Path, error: Exception) -> ValueError:
    reason = " ".join(str(error).split())[:120]
    if "can not handle the given uri" in reason:  # imageio's words for bytes that Pillow refuses
        reason = "its content is no PNG or JPEG"
    return ValueError(f"{path}: cannot be read as an image ({reason})")


def _write_picture(path: Path, dataset: str | None, array: NDArray[Any]) -> None:  # noqa: ARG001
    import imageio.v3 as iio

    is_picture = array.ndim == 2 or (array.ndim == 3 and array.shape[-1] in (3, 4))
    if not is_picture:
        raise ValueError(
            f"{path}: an array of shape {array.shape} is no picture; "
            f"write it as .tif, .h5, .npy or .zarr"
        )
    data = iio.imwrite("<bytes>", array, extension=path.suffix.lower(), plugin="pillow")
    with open_target(path) as file:
        file.write(data)


def _write_tiff(path: Path, dataset: str | None, array: NDArray[Any]) -> None:  # noqa: ARG001
    import tifffile

    is_colour = array.ndim >= 3 and array.shape[-1] in (3, 4) and array.dtype == np.uint8
    with open_target(path) as file:
        tifffile.imwrite(
            file,
            array,
            photometric="rgb" if is_colour else "minisblack",
            compression="zlib",
        )


PNG = ArrayFormat(
    "png",
    "pictures; labels in 8 or 16 bits",
    (".png",),
    _read_picture,
    _write_picture,
    label_types=("uint8", "uint16"),
)
JPEG = ArrayFormat(
    "jpeg", "photographs; no labels", (".jpg", ".jpeg"), _read_picture, _write_picture, False, ()
)
TIFF = ArrayFormat(
    "tiff",
    "pictures and stacks of slices",
    (".tif", ".tiff"),
    _read_tiff,
    _write_tiff,
    label_types=("uint8", "uint16", "uint32"),
)
