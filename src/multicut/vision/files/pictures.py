"""PNG, JPEG, WebP, BMP and TIFF."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut._target import open_target
from multicut.io.limits import is_implausible
from multicut.vision.files.record import ArrayFormat
from multicut.vision.files.tiff_pages import check_pages, check_strips
from multicut.vision.label_colours import label_palette

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


# Marks PNG files that hold labels, so that these are read back and not colours.
_MARK, _LABELS = "multicut", "labels"


def _read_picture(path: Path, dataset: str | None) -> NDArray[Any]:  # noqa: ARG001
    needed("imageio", "PIL", by=f"{path}: a picture")
    import imageio.v3 as iio

    with path.open("rb"):  # a file that is missing or locked is not a damaged one
        pass
    try:
        if (labels := _read_label_picture(path)) is not None:
            return labels
        # CMYK has four channels, but not red, green, blue and alpha.
        is_printed = iio.immeta(path, index=0, plugin="pillow")["mode"] == "CMYK"
        # Cameras store the orientation of a photograph as metadata.
        options: dict[str, Any] = {"mode": "RGB"} if is_printed else {}
        array = np.asarray(iio.imread(path, index=0, plugin="pillow", rotate=True, **options))
    except Exception as error:  # whatever a decoder raises on bytes it cannot make sense of
        raise _unreadable(path, error) from error
    return _blended(array) if array.ndim == 3 and array.shape[-1] == 2 else array


def _read_label_picture(path: Path) -> NDArray[Any] | None:
    """Return the labels of a picture that :func:`_write_label_picture` wrote, None of any other.

    Other pictures with a palette are read as colours.
    """
    from PIL import Image

    with Image.open(path) as picture:
        is_ours = picture.mode == "P" and picture.info.get(_MARK) == _LABELS
        return np.array(picture) if is_ours else None


def _write_label_picture(path: Path, array: NDArray[Any], has_outside: bool) -> None:
    """Write labels so that viewers show colours: up to 256 with a palette, else in 16 bits."""
    needed("imageio", "PIL", by=f"{path}: a picture")
    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    if array.dtype != np.uint8 or array.ndim != 2:
        _write_picture(path, None, array)
        return
    outside = np.zeros((int(has_outside), 3), dtype=np.uint8)
    palette = np.concatenate([outside, label_palette(256 - len(outside))])
    height, width = array.shape
    picture = Image.frombytes("P", (width, height), np.ascontiguousarray(array).tobytes())
    picture.putpalette(palette.tobytes())
    mark = PngInfo()
    mark.add_text(_MARK, _LABELS)
    with open_target(path) as file:
        picture.save(file, format="PNG", pnginfo=mark, bits=8)


def _blended(array: NDArray[Any]) -> NDArray[Any]:
    """Blend grey with white by its alpha, as colours are by theirs."""
    largest = np.iinfo(array.dtype).max
    grey, alpha = np.moveaxis(array.astype(np.float64), -1, 0) / largest
    blended: NDArray[Any] = np.rint((grey * alpha + 1 - alpha) * largest).astype(array.dtype)
    return blended


def _read_tiff(path: Path, dataset: str | None) -> NDArray[Any]:  # noqa: ARG001
    needed("tifffile", by=f"{path}: a TIFF file")
    import tifffile

    try:
        with path.open("rb") as file:
            check_pages(file)
    except ValueError as error:
        raise _unreadable(path, error) from error
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd tags that do not concern the pixels
            with tifffile.TiffFile(path) as tiff:
                stated = tiff.series[0]
                if is_implausible(stated.size * stated.dtype.itemsize, path.stat().st_size):
                    raise ValueError(f"shape {stated.shape} is more than the file can hold")
                check_strips(stated.keyframe)
                array = np.asarray(tiff.asarray())
    except Exception as error:
        raise _unreadable(path, error) from error
    return array


def _unreadable(path: Path, error: Exception) -> ValueError:
    reason = " ".join(str(error).split())[:120]
    if "can not handle the given uri" in reason:  # imageio's words for bytes that Pillow refuses
        reason = "its content is not a picture of this kind"
    return ValueError(f"{path}: cannot be read as an image ({reason})")


def _write_picture(path: Path, dataset: str | None, array: NDArray[Any]) -> None:  # noqa: ARG001
    needed("imageio", "PIL", by=f"{path}: a picture")
    import imageio.v3 as iio

    is_picture = array.ndim == 2 or (array.ndim == 3 and array.shape[-1] in (3, 4))
    if not is_picture:
        raise ValueError(
            f"{path}: an array of shape {array.shape} is not a picture; "
            f"write it as .tif, .h5, .npy or .zarr"
        )
    data = iio.imwrite("<bytes>", array, extension=path.suffix.lower(), plugin="pillow")
    with open_target(path) as file:
        file.write(data)


def _write_tiff(path: Path, dataset: str | None, array: NDArray[Any]) -> None:  # noqa: ARG001
    needed("tifffile", by=f"{path}: a TIFF file")
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
    write_labels=_write_label_picture,
)
JPEG = ArrayFormat(
    "jpeg", "photographs; no labels", (".jpg", ".jpeg"), _read_picture, _write_picture, False, ()
)
WEBP = ArrayFormat(
    "webp", "photographs; no labels", (".webp",), _read_picture, _write_picture, False, ()
)
BMP = ArrayFormat("bmp", "pictures; no labels", (".bmp",), _read_picture, _write_picture, False, ())
TIFF = ArrayFormat(
    "tiff",
    "pictures and stacks of slices",
    (".tif", ".tiff"),
    _read_tiff,
    _write_tiff,
    label_types=("uint8", "uint16", "uint32"),
)
