"""Pictures to try things on, which come with scikit-image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._registry import Registry

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Sample:
    """One picture: its name in ``skimage.data``, and what can be seen."""

    name: str
    description: str


_SAMPLES: Registry[Sample] = Registry(
    "sample",
    (
        Sample("astronaut", "Eileen Collins in front of a flag and a shuttle, colour, 512 x 512"),
        Sample("coffee", "a cup of coffee on a wooden table, colour, 400 x 600"),
        Sample("chelsea", "a cat, colour, 300 x 451"),
        Sample("rocket", "a rocket on its launch pad, colour, 427 x 640"),
        Sample("camera", "a man with a camera, grey, 512 x 512"),
        Sample("coins", "old coins on a dark ground, grey, 303 x 384"),
        Sample("cell", "a cell under the microscope, grey, 660 x 550"),
    ),
)


def list_samples() -> list[Sample]:
    """Return the pictures there are."""
    return _SAMPLES.matching("*")


def sample_image(name: str) -> NDArray[Any]:
    """Return a picture by its name; nothing is downloaded."""
    import skimage.data

    return np.asarray(getattr(skimage.data, _SAMPLES.get(name).name)())
