"""What a hierarchical solve is to do: the same for all of its tasks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

import numpy as np

from multicut._version import __version__
from multicut.distributed.begun import working_in
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.tables import EdgeTable, NodeValues

_FILE = "plan.json"


@dataclass(frozen=True)
class Scheme:
    """How blocks are solved and joined.

    Attributes
    ----------
    margin
        Nodes within so many steps of the outside are not contracted before their block is joined
        with its neighbours.
    settles
        Clusters that are more than so many steps away from the outside are final: they do not take
        part in the problems of larger blocks, which so grow with the borders of blocks only. None
        leaves all clusters open.
    """

    margin: int = 2
    settles: int | None = 1


@dataclass(frozen=True, eq=False)
class Plan:
    """Edges, blocks, solver and scheme.

    Attributes
    ----------
    edges, lifted_edges, node_blocks
        The problem; None if it has no lifted edges.
    solver, time_limit, seed, options
        As for :func:`multicut.solve`, for each block; the seed is that of the last one, and each
        other block has its own.
    scheme
        How blocks are solved and joined.
    """

    edges: EdgeTable
    lifted_edges: EdgeTable | None
    node_blocks: NodeBlocks
    solver: str
    time_limit: float | None
    seed: int
    options: Mapping[str, Any] = field(default_factory=dict)
    scheme: Scheme = field(default_factory=Scheme)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {
            "multicut": __version__,
            "edges": self.edges.to_list(),
            "lifted_edges": None if self.lifted_edges is None else self.lifted_edges.to_list(),
            "node_blocks": self.node_blocks.to_dict(),
            "solver": self.solver,
            "time_limit": self.time_limit,
            "seed": self.seed,
            "options": dict(self.options),
            "scheme": asdict(self.scheme),
        }

    def working_in(self, folder: Path) -> AbstractContextManager[Path]:
        """Begin or go on in a folder, of which nobody else makes use meanwhile."""
        return working_in(folder, _FILE, self.to_dict(), hidden=("node_blocks",))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the plan of a folder, once in each process: it lists all blocks."""
        file = folder / _FILE
        status = file.stat()
        return cls._read(file, status.st_mtime_ns, status.st_ino)

    @classmethod
    @lru_cache(maxsize=4)
    def _read(cls, file: Path, *_version: int) -> Self:
        values = json.loads(file.read_bytes())
        lifted = values["lifted_edges"]
        return cls(
            EdgeTable.of_list(values["edges"]),
            None if lifted is None else EdgeTable.of_list(lifted),
            NodeBlocks.of_dict(values["node_blocks"]),
            values["solver"],
            values["time_limit"],
            values["seed"],
            values["options"],
            Scheme(**values["scheme"]),
        )

    def seed_of(self, level: int, block: int) -> int:
        """Return the seed for a block."""
        if level == self.node_blocks.num_levels - 1:
            return self.seed
        return int(np.random.SeedSequence([self.seed, level, block]).generate_state(1)[0])

    def labels(self, folder: Path) -> NodeValues:
        """Return the labels that the solve writes."""
        return NodeValues(folder / "labels", self.node_blocks.offsets)
