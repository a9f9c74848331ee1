"""Proofreading: corrections of a partition, each answered at once."""

from multicut.proofreading.contradictions import ContradictionError
from multicut.proofreading.corrections import Correction
from multicut.proofreading.margins import EdgeMargins, edge_margins
from multicut.proofreading.proofreader import Proofreader

__all__ = ["ContradictionError", "Correction", "EdgeMargins", "Proofreader", "edge_margins"]
