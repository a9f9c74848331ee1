"""What the benchmark solves, as the edge arrays that every package can start from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from multicut._arrays import BoolArray, FloatArray, IntArray
    from multicut.problem import Problem

DEFAULT_SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES = (200, 1_000)
SCALES = (1.0, 1e-6, 1e6)


@dataclass(frozen=True, eq=False)
class EdgeArrays:
    """One graph: nodes 0 … num_nodes-1, edges without duplicates, one cost each."""

    num_nodes: int
    edges: IntArray
    costs: FloatArray

    @classmethod
    def of(cls, problem: Problem, scale: float = 1.0) -> EdgeArrays:
        """Take the arrays of a problem, its costs multiplied by `scale`."""
        edges = np.array(problem.edges)
        return cls(problem.num_nodes, edges, problem.costs * scale)

    def objective(self, labels: IntArray) -> float:
        """Cost of the edges between different labels: the same yardstick for all packages."""
        cut: BoolArray = labels[self.edges[:, 0]] != labels[self.edges[:, 1]]
        return float(self.costs[cut].sum())


TINY = EdgeArrays(3, np.array([[0, 1], [1, 2], [0, 2]]), np.array([1.0, 2.0, -4.0]))


@dataclass(frozen=True)
class InstanceSet:
    """One or more graphs that make one row of the table.

    Attributes
    ----------
    name
        What the row is called.
    load
        Makes or reads the graphs; called once, just before they are needed.
    contests
        The names of the contests that this set is for; empty means all that accept its size.
    """

    name: str
    load: Callable[[], list[EdgeArrays]]
    contests: tuple[str, ...] = ()


def list_instance_sets(
    sizes: tuple[int, ...], data: Path | None, num_small: int
) -> list[InstanceSet]:
    """List what there is: random graphs of each size, files, many small graphs for fusion.

    Parameters
    ----------
    sizes
        Numbers of nodes of the random graphs.
    data
        Folder with ``em/*.npz`` and ``bsds/*.npz``; None leaves these out.
    num_small
        How many small random graphs the fusion contest gets, at each scale of costs.
    """
    sets = [_random(size) for size in sizes]
    if data is not None:
        for folder in ("em", "bsds"):
            sets += [_file(path) for path in sorted((data / folder).glob("*.npz"))]
    sets += [_many_small(num_small, scale) for scale in SCALES]
    return sets


def _random(size: int) -> InstanceSet:
    from multicut.datasets import randommp

    return InstanceSet(f"RandomMP {size:,}", lambda: [EdgeArrays.of(randommp(size, seed=0))])


def _file(path: Path) -> InstanceSet:
    def load() -> list[EdgeArrays]:
        from multicut.io import read_all

        return [EdgeArrays.of(problem) for problem in read_all(path).values()]

    return InstanceSet(f"{path.parent.name}/{path.stem}", load)


def _many_small(count: int, scale: float) -> InstanceSet:
    from multicut.datasets import randommp

    suffix = "" if scale == 1 else f", costs times {scale:g}"
    return InstanceSet(
        f"{count} RandomMP{suffix}",
        lambda: [EdgeArrays.of(randommp(seed=seed), scale) for seed in range(count)],
        contests=("fusion",) if scale != 1 else (),
    )
