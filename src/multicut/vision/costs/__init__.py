"""Costs of region graphs from images; one module for each kind of evidence."""

from multicut.vision.costs.boundary import BoundaryCosts
from multicut.vision.costs.colour import ColourCosts
from multicut.vision.costs.record import Costs, check_bias, log_odds
from multicut.vision.costs.registry import get_costs, list_costs

__all__ = [
    "BoundaryCosts",
    "ColourCosts",
    "Costs",
    "check_bias",
    "get_costs",
    "list_costs",
    "log_odds",
]
