"""Named graphs and their cycles, loaded once for several runs."""

from __future__ import annotations

from multicut.datasets.dataset import Dataset
from multicut.nn.cycles import CycleLists, list_chordless_cycles
from multicut.training.named_graphs import named_graphs


class GraphStore:
    """Keeps graphs and lists of their cycles in main memory.

    Processes that are forked from the one that fills it share its memory, so that many runs side by
    side neither draw graphs nor list cycles again.
    """

    def __init__(self) -> None:
        self._graphs: dict[tuple[str, str], Dataset] = {}
        self._cycles: dict[tuple[str, str, int], CycleLists] = {}

    def graphs(self, name: str, split: str) -> Dataset:
        """Return the graphs of a name; :func:`named_graphs` explains the arguments."""
        key = (name, split)
        if key not in self._graphs:
            self._graphs[key] = named_graphs(name, split)
        return self._graphs[key]

    def cycles(self, name: str, split: str, max_length: int) -> CycleLists:
        """Return the chordless cycles of all of these graphs."""
        key = (name, split, max_length)
        if key not in self._cycles:
            arrays = self.graphs(name, split).arrays()
            self._cycles[key] = list_chordless_cycles(
                arrays.edges, arrays.node_offsets, arrays.edge_offsets, max_length
            )
        return self._cycles[key]
