"""Generators of problems: the same seed gives the same problem everywhere."""

from multicut.datasets.randommp import randommp

__all__ = ["randommp"]
