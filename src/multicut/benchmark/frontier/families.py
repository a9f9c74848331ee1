"""The families of graphs: our test splits, every generator, and files where they are at hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from multicut.datasets import Dataset, generate, list_generators, open_dataset
from multicut.datasets.shipped import SHIPPED

if TYPE_CHECKING:
    from multicut.benchmark.frontier.settings import FrontierSettings

_SCALING = "scaling"
# By name: the file, and what it holds.
_FILES = {
    "modularity": ("modularity.npz", "clique partitioning of modularity"),
    "bitcoinotc": ("signed/bitcoinotc.csv", "a signed network of trust"),
    "cremi-c": ("em/CREMI-C_test.npz", "the region graph of an electron microscopy volume"),
    "bsds": ("bsds/bsds_ucm_a.npz", "region graphs of Berkeley images"),
}


@dataclass(frozen=True)
class Family:
    """Graphs of one kind.

    Attributes
    ----------
    name
        Names the family and its figure.
    source
        What the graphs are, in a few words.
    load
        Reads or draws them.
    cache
        Names its measurements; by default like the family.
    """

    name: str
    source: str
    load: Callable[[], Dataset]
    cache: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cache", self.cache or self.name)


def find_families(settings: FrontierSettings) -> list[Family]:
    """List the families that are at hand."""
    families = [_generated(record.name, settings) for record in list_generators(lifted=False)]
    for name, (file, source) in _FILES.items():
        path = None if settings.data is None else settings.data / file
        if path is not None and path.is_file():
            families.append(Family(name, source, partial(open_dataset, path)))
    return families


def _generated(name: str, settings: FrontierSettings) -> Family:
    if name in SHIPPED:
        return Family(
            name, "test split, proven optima ship with it", partial(open_dataset, name, "test")
        )
    if name == _SCALING:
        return Family(
            name,
            f"one graph of the kind of RandomMP with {settings.large:,} nodes",
            partial(generate, name, 1, split="test", num_nodes=settings.large),
            # A graph of another size is another one, though the family is the same.
            cache=f"{name}-{settings.large}",
        )
    return Family(
        name,
        "test split of the generator",
        partial(generate, name, settings.num_graphs, split="test"),
    )
