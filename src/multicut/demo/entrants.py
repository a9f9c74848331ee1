"""The solvers of the demonstration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from multicut._extras import NETWORKS, is_installed
from multicut.solvers import list_solvers

SECONDS = 2.0
"""What a solver has for one example, unless a network does the work."""

# A network has to finish its pass: stopped before, it has nothing. This ends the demonstration on
# a machine that is too busy.
_SECONDS_OF_NETWORK = 60.0


@dataclass(frozen=True)
class Entrant:
    """A solver with its options.

    Attributes
    ----------
    solver
        The name of the solver.
    name
        What it goes by here; by default the name of the solver.
    options
        Options of the solver.
    seconds
        Its time limit for one example.
    has_network
        Whether a network does the work. It then takes the problems of an example in one pass, which
        is what networks are good at, and torch has to be loaded.
    """

    solver: str
    name: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = SECONDS
    has_network: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.solver)


def list_entrants() -> list[Entrant]:
    """Return every solver that minimises, and what the network of ``learned`` does by itself.

    On a processor ``learned`` does without its network, as that takes longer than it is worth.
    Without torch no network takes part.
    """
    entrants = []
    for record in list_solvers():
        if not (record.is_ready() and record.minimises):
            continue
        if record.name == "gnn":
            entrants.append(Entrant("gnn", seconds=_SECONDS_OF_NETWORK, has_network=True))
            continue
        entrants.append(Entrant(record.name))
        if record.name == "learned" and all(map(is_installed, NETWORKS)):
            options = {"use_network": True, "effort": "fastest"}
            network = Entrant("learned", "network", options, _SECONDS_OF_NETWORK, has_network=True)
            entrants.append(network)
    return entrants
