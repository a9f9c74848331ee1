"""Superpixels: many small regions that do not cross boundaries; one module for each way."""

from multicut.vision.superpixels.boundary_watershed import BoundaryWatershed
from multicut.vision.superpixels.felzenszwalb import Felzenszwalb
from multicut.vision.superpixels.record import Superpixels
from multicut.vision.superpixels.registry import get_superpixels, list_superpixels
from multicut.vision.superpixels.slic import Slic
from multicut.vision.superpixels.watershed import Watershed

__all__ = [
    "BoundaryWatershed",
    "Felzenszwalb",
    "Slic",
    "Superpixels",
    "Watershed",
    "get_superpixels",
    "list_superpixels",
]
