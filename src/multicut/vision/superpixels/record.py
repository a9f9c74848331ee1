"""What a way to make superpixels is: a frozen record of its parameters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from multicut._options import Options

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from multicut.vision.image import Picture


@dataclass(frozen=True)
class Superpixels(Options, ABC):
    """A way to divide an image into many small regions; its fields are its parameters."""

    name: ClassVar[str]
    description: ClassVar[str]

    @abstractmethod
    def divide(
        self, picture: Picture, boundaries: NDArray[Any] | None = None
    ) -> NDArray[np.integer]:
        """Return the region of each pixel, an integer of at least 0.

        `boundaries` are probabilities between 0 and 1 of the picture's shape, if there are any.
        """
