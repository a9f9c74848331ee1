"""Decoding of images from bytes, with a check of their size first."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.app.failures import VisitorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Untrusted files are decoded by these decoders only.
_KINDS = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"II*\x00": "TIFF",
    b"MM\x00*": "TIFF",
}
_TITLES = {"WEBP": "WebP"}
_OTHERS = {b"GIF8": "a GIF image", b"8BPS": "a Photoshop file"}
_SMALLEST_SIDE = 4


def image_kind(data: bytes) -> str | None:
    """Return the kind of image that bytes begin like, if it can be read: PNG, JPEG, ..."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "WEBP"
    # "BM" may begin a text as well, which has no zero bytes.
    if data.startswith(b"BM") and b"\x00" in data[:64]:
        return "BMP"
    return next((kind for magic, kind in _KINDS.items() if data.startswith(magic)), None)


def other_image_kind(data: bytes) -> str | None:
    """Return the kind of image, if it is one that cannot be read."""
    if data[4:12] in (b"ftypavif", b"ftypheic"):
        return "an AVIF or HEIC image"
    return next((kind for magic, kind in _OTHERS.items() if data.startswith(magic)), None)


def decode_image(data: bytes, kind: str, name: str, max_pixels: int) -> NDArray[np.uint8]:
    """Decode an image to uint8: grey (height, width) or colour (height, width, 3).

    A TIFF file of several images is a volume, whose shape begins with its depth.

    Parameters
    ----------
    data
        The content of the file.
    kind
        The kind of image, from :func:`image_kind`.
    name
        The name of the file in messages.
    max_pixels
        The limit of pixels, checked before any pixel is decoded.
    """
    from PIL import Image, ImageOps

    try:
        if kind == "WEBP":
            # The decoder allocates memory for all pixels when it opens the file.
            _check_pixels(*_webp_size(data), name, max_pixels)
        with Image.open(io.BytesIO(data), formats=[kind]) as image:
            width, height = image.size
            _check_pixels(width, height, name, max_pixels)
            if min(width, height) < _SMALLEST_SIDE:
                raise VisitorError(
                    f"{name}: {width:,} by {height:,} pixels are too few; each side needs "
                    f"{_SMALLEST_SIDE}"
                )
            frames = getattr(image, "n_frames", 1)
            if kind == "TIFF" and frames > 1:
                return _decode_stack(image, frames, name, max_pixels)
            if kind == "WEBP" and frames > 1:
                raise VisitorError(f"{name}: an animation of {frames} images; upload one of them")
            return _as_bytes(ImageOps.exif_transpose(image), name)
    except VisitorError:
        raise
    except Image.DecompressionBombError:
        raise VisitorError(
            f"{name}: has more pixels than the limit of {max_pixels:,}; make the image smaller"
        ) from None
    except Exception as error:  # decoders raise anything on damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        # Pillow's message contains the address of an object in memory.
        reason = "the content is not such an image" if "BytesIO" in reason else reason
        raise VisitorError(
            f"{name}: the {_TITLES.get(kind, kind)} image is damaged ({reason})"
        ) from None


def _decode_stack(image: Any, depth: int, name: str, max_pixels: int) -> NDArray[np.uint8]:
    """Decode the images of a file as the slices of a volume."""
    width, height = image.size
    if depth * width * height > max_pixels:
        raise VisitorError(
            f"{name}: {depth:,} slices of {width:,} by {height:,} pixels are more than the limit "
            f"of {max_pixels:,}; make the volume smaller"
        )
    slices: list[Any] = []
    for number in range(depth):
        image.seek(number)
        if image.size != (width, height) or image.mode != (
            slices[0].mode if slices else image.mode
        ):
            raise VisitorError(
                f"{name}: image {number + 1} of the stack differs from the first in size or kind; "
                f"upload slices of one volume"
            )
        slices.append(image.copy())
    # Together, so that a grey value means the same in each of them.
    return _scaled(np.stack([_values_of(each) for each in slices]), name)


def _check_pixels(width: int, height: int, name: str, max_pixels: int) -> None:
    if width * height > max_pixels:
        raise VisitorError(
            f"{name}: {width:,} by {height:,} pixels are more than the limit of "
            f"{max_pixels:,}; make the image smaller"
        )


def _webp_size(data: bytes) -> tuple[int, int]:
    """Return width and height from the first chunk of a WebP file (RFC 9649, section 2)."""

    def number(start: int, length: int) -> int:
        return int.from_bytes(data[start : start + length], "little")

    chunk = data[12:16]
    if chunk == b"VP8X" and len(data) >= 30:
        return number(24, 3) + 1, number(27, 3) + 1
    if chunk == b"VP8L" and len(data) >= 25:
        sides = number(21, 4)
        return (sides & 0x3FFF) + 1, (sides >> 14 & 0x3FFF) + 1
    if chunk == b"VP8 " and len(data) >= 30:
        return number(26, 2) & 0x3FFF, number(28, 2) & 0x3FFF
    raise ValueError("the content is not such an image")


def _on_white(image: Any) -> Any:
    """Blend an image with white by its alpha, as :func:`multicut.vision.segment` does."""
    from PIL import Image

    canvas = Image.new("RGBA", image.size, "white")
    canvas.alpha_composite(image.convert("RGBA"))
    return canvas.convert("L" if image.mode in ("LA", "La") else "RGB")


def _as_bytes(image: Any, name: str) -> NDArray[np.uint8]:
    """Turn a decoded image into 8 bits per channel: grey or red, green, blue."""
    return _scaled(_values_of(image), name)


def _values_of(image: Any) -> NDArray[Any]:
    """Return the values of a decoded image: grey or red, green, blue."""
    if image.mode in ("RGBA", "RGBa", "PA", "LA", "La"):
        image = _on_white(image)
    elif image.mode in ("P", "CMYK", "YCbCr", "LAB", "HSV", "RGBX"):
        image = image.convert("RGB")
    elif image.mode == "1":
        image = image.convert("L")
    values = np.asarray(image)
    return values[..., :3] if values.ndim == 3 else values


def _scaled(values: NDArray[Any], name: str) -> NDArray[np.uint8]:
    """Turn values of any kind into 8 bits."""
    if values.dtype == np.uint8:
        return np.array(values)
    if not np.isfinite(values).all():
        raise VisitorError(f"{name}: has pixels that are not finite numbers; impute them")
    if values.dtype == np.uint16:
        return np.asarray((values.astype(np.uint32) + 128) // 257, dtype=np.uint8)
    low, high = float(values.min()), float(values.max())
    scaled = (values.astype(np.float64) - low) / (high - low if high > low else 1.0)
    return np.asarray(np.rint(255 * scaled), dtype=np.uint8)
