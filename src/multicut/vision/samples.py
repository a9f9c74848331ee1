"""Sample images, which are part of scikit-image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut._registry import Registry

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Sample:
    """A sample image: its name in ``skimage.data`` and a description."""

    name: str
    description: str


_SAMPLES: Registry[Sample] = Registry(
    "sample",
    (
        Sample("astronaut", "Eileen Collins in front of a flag and a shuttle, colour, 512 × 512"),
        Sample("coffee", "a cup of coffee on a wooden table, colour, 600 × 400"),
        Sample("chelsea", "a cat, colour, 451 × 300"),
        Sample("rocket", "a rocket on its launch pad, colour, 640 × 427"),
        Sample("camera", "a man with a camera, grey, 512 × 512"),
        Sample("coins", "old coins on a dark ground, grey, 384 × 303"),
        Sample("cell", "a cell under the microscope, grey, 550 × 660"),
    ),
)


def list_samples() -> list[Sample]:
    """Return all sample images."""
    return _SAMPLES.matching("*")


def sample_image(name: str) -> NDArray[Any]:
    """Return a sample image by its name; nothing is downloaded."""
    needed("skimage", by="a sample image")
    import skimage.data

    return np.asarray(getattr(skimage.data, _SAMPLES.get(name).name)())
