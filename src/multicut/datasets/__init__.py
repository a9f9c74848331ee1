"""Generators of problems: the same seed gives the same problem everywhere."""

from multicut.datasets.mosaic import Mosaic, mosaic
from multicut.datasets.randommp import randommp, randommp_points

__all__ = ["Mosaic", "mosaic", "randommp", "randommp_points"]
