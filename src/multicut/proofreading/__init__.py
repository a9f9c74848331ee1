"""Proofreading: corrections of a partition, each answered at once."""

from multicut.proofreading.contradictions import ContradictionError
from multicut.proofreading.corrections import Correction
from multicut.proofreading.margins import EdgeMargins, edge_margins
from multicut.proofreading.proofreader import Proofreader
from multicut.proofreading.suggestions import Suggestion

__all__ = [
    "ContradictionError",
    "Correction",
    "EdgeMargins",
    "Proofreader",
    "Suggestion",
    "edge_margins",
]
