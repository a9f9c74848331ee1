"""The registry of superpixels."""

from __future__ import annotations

from multicut._registry import Registry
from multicut.vision.superpixels.boundary_watershed import BoundaryWatershed
from multicut.vision.superpixels.felzenszwalb import Felzenszwalb
from multicut.vision.superpixels.record import Superpixels
from multicut.vision.superpixels.slic import Slic
from multicut.vision.superpixels.watershed import Watershed

_SUPERPIXELS: Registry[type[Superpixels]] = Registry(
    "superpixels", (Watershed, Slic, Felzenszwalb, BoundaryWatershed)
)


def list_superpixels(pattern: str = "*") -> list[type[Superpixels]]:
    """Return all ways to make superpixels whose name matches a pattern such as ``"*watershed"``."""
    return _SUPERPIXELS.matching(pattern)


def get_superpixels(name: str) -> type[Superpixels]:
    """Return one way to make superpixels; call it with parameters, or none."""
    return _SUPERPIXELS.get(name)
