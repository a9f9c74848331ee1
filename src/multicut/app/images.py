"""Decoding of images from bytes, with their size looked at first."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.app.failures import VisitorError

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Only these decoders are let near a stranger's bytes.
_KINDS = {
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"\xff\xd8\xff": "JPEG",
    b"II*\x00": "TIFF",
    b"MM\x00*": "TIFF",
}
_OTHERS = {b"GIF8": "a GIF image", b"BM": "a BMP image", b"8BPS": "a Photoshop file"}
_SMALLEST_SIDE = 4


def is_image(data: bytes) -> bool:
    """Whether bytes begin like a PNG, JPEG or TIFF file."""
    return data.startswith(tuple(_KINDS))


def other_image_kind(data: bytes) -> str | None:
    """Name the kind of image, if it is one that is not taken."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "a WebP image"
    if data[4:12] in (b"ftypavif", b"ftypheic"):
        return "an AVIF or HEIC image"
    head = data[:64]
    for magic, kind in _OTHERS.items():
        # "BM" may begin a text as well, which has no zero bytes.
        if head.startswith(magic) and (magic != b"BM" or b"\x00" in head):
            return kind
    return None


def decode_image(data: bytes, name: str, max_pixels: int) -> tuple[NDArray[Any], str]:
    """Decode an image to uint8, grey (height, width) or colour (height, width, 3); and its kind."""
    from PIL import Image, ImageOps

    kind = next(kind for magic, kind in _KINDS.items() if data.startswith(magic))
    try:
        with Image.open(io.BytesIO(data), formats=[kind]) as image:
            width, height = image.size
            if width * height > max_pixels:
                raise VisitorError(
                    f"{name}: {width:,} by {height:,} pixels are more than the limit of "
                    f"{max_pixels:,}; make the image smaller"
                )
            if min(width, height) < _SMALLEST_SIDE:
                raise VisitorError(
                    f"{name}: {width:,} by {height:,} pixels are too few; each side needs "
                    f"{_SMALLEST_SIDE}"
                )
            if kind == "TIFF" and getattr(image, "n_frames", 1) > 1:
                raise VisitorError(
                    f"{name}: a stack of {image.n_frames} images; upload one of them, or use "  # type: ignore[attr-defined]
                    f"`multicut segment` for volumes"
                )
            return _as_bytes(ImageOps.exif_transpose(image), name), kind
    except VisitorError:
        raise
    except Image.DecompressionBombError:
        raise VisitorError(
            f"{name}: has more pixels than the limit of {max_pixels:,}; make the image smaller"
        ) from None
    except Exception as error:  # decoders raise anything on damaged files
        reason = " ".join(str(error).split()) or type(error).__name__
        # Pillow names the object in memory, which tells nobody anything.
        reason = "the content is no such image" if "BytesIO" in reason else reason
        raise VisitorError(f"{name}: the {kind} image is damaged ({reason})") from None


def _on_white(image: Any) -> Any:
    """Blend an image with white by its alpha, as :func:`multicut.vision.segment` does."""
    from PIL import Image

    canvas = Image.new("RGBA", image.size, "white")
    canvas.alpha_composite(image.convert("RGBA"))
    return canvas.convert("L" if image.mode in ("LA", "La") else "RGB")


def _as_bytes(image: Any, name: str) -> NDArray[np.uint8]:
    """Turn a decoded image into 8 bits per channel: grey or red, green, blue."""
    if image.mode in ("RGBA", "RGBa", "PA", "LA", "La"):
        image = _on_white(image)
    elif image.mode in ("P", "CMYK", "YCbCr", "LAB", "HSV", "RGBX"):
        image = image.convert("RGB")
    elif image.mode == "1":
        image = image.convert("L")
    values = np.asarray(image)
    if values.ndim == 3:
        values = values[..., :3]
    if values.dtype == np.uint8:
        return np.array(values)
    if not np.isfinite(values).all():
        raise VisitorError(f"{name}: has pixels that are not finite numbers; impute them")
    if values.dtype == np.uint16:
        return np.asarray((values.astype(np.uint32) + 128) // 257, dtype=np.uint8)
    low, high = float(values.min()), float(values.max())
    scaled = (values.astype(np.float64) - low) / (high - low if high > low else 1.0)
    return np.asarray(np.rint(255 * scaled), dtype=np.uint8)
