"""What a generator is: a frozen record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from multicut._options import Configurable, Options
from multicut.datasets.generators.graph import GeneratedGraph


@dataclass(frozen=True)
class GeneratorRecord(Configurable):
    """One registered family of random problems.

    Attributes
    ----------
    name
        What :func:`multicut.datasets.generate` knows it by. It takes part in the random stream.
    description
        One line.
    draw
        ``draw(rng, options)`` draws one graph.
    options
        A frozen dataclass: its fields are the options, with defaults and meanings.
    is_lifted
        Whether its problems have lifted edges.
    """

    name: str
    description: str
    draw: Callable[[np.random.Generator, Any], GeneratedGraph]
    options: type[Options]
    is_lifted: bool = False

    def parse_options(self, given: Mapping[str, Any]) -> Options:
        """Turn keyword arguments into the generator's options."""
        return self.options.parse(given, f"generator {self.name!r}")
