"""The registry of cost functions."""

from __future__ import annotations

from multicut._registry import Registry
from multicut.vision.costs.boundary import BoundaryCosts
from multicut.vision.costs.colour import ColourCosts
from multicut.vision.costs.record import Costs

_COSTS: Registry[type[Costs]] = Registry("costs", (ColourCosts, BoundaryCosts))


def list_costs(pattern: str = "*") -> list[type[Costs]]:
    """Return all cost functions whose name matches a pattern."""
    return _COSTS.matching(pattern)


def get_costs(name: str) -> type[Costs]:
    """Return a cost function by its name; call it with parameters, or none."""
    return _COSTS.get(name)
