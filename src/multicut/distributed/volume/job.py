"""What is to be segmented, and how: plain values that all tasks of a run share."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from multicut._arrays import BoolArray, IntArray
from multicut._version import __version__
from multicut.distributed.begun import check_begun, working_in
from multicut.distributed.volume.blocks import BlockGrid, Shape
from multicut.distributed.volume.source import VolumeSource, open_source
from multicut.vision.costs import BoundaryCosts
from multicut.vision.region_graph import neighbours
from multicut.vision.superpixels import BoundaryWatershed

_FILE = "job.json"
#: Kinds of edges: what the names of their files end with.
ORDINARY = ""
LIFTED = ".lifted"


@dataclass(frozen=True, eq=False)
class Job:
    """The arguments of a run, checked and complete.

    Attributes
    ----------
    source, superpixels, mask
        Absolute places of arrays; None for those that are not given.
    input_version
        When these were written.
    axes
        Letters of the axes of `source`, None for those of its metadata.
    offsets
        Of affinities, one per channel; None for a boundary map.
    lifted
        Whether offsets longer than 1 lead to lifted edges.
    shape, block_shape, halo
        Of the volume, of its blocks, and how far a watershed sees beyond its block.
    watershed, costs, bias, connectivity
        How fragments and costs are made; options of the records.
    histogram
        Whether edges keep a histogram of their evidence.
    solver, time_limit, seed, options
        As for :func:`multicut.solve`, for each block.
    pyramid
        How many coarser levels are written.
    bound_rounds
        The rounds of the search for a lower bound.
    """

    source: str
    input_version: tuple[int, ...]
    shape: Shape
    block_shape: Shape
    halo: int
    superpixels: str | None = None
    mask: str | None = None
    axes: str | None = None
    offsets: tuple[tuple[int, ...], ...] | None = None
    watershed: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, Any] = field(default_factory=dict)
    bias: float = 0.5
    connectivity: int = 1
    histogram: bool = False
    solver: str = "klj"
    time_limit: float | None = None
    seed: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    pyramid: int = 0
    lifted: bool = False
    bound_rounds: int = 2

    @property
    def grid(self) -> BlockGrid:
        """The blocks of the volume."""
        return BlockGrid(self.shape, self.block_shape)

    @property
    def steps(self) -> IntArray:
        """The offsets between voxels that are compared."""
        if self.offsets is not None:
            return np.array(self.offsets, dtype=np.int64)
        return neighbours(len(self.shape), self.connectivity)

    @property
    def kinds(self) -> dict[str, BoolArray]:
        """The kinds of edges, each with the channels that lead to it."""
        if not self.lifted:
            return {ORDINARY: np.ones(len(self.steps), dtype=np.bool_)}
        is_near = np.abs(self.steps).sum(axis=1) == 1
        return {ORDINARY: is_near, LIFTED: ~is_near}

    def open(self) -> VolumeSource:
        """Open the array of evidence."""
        return open_source(self.source, axes=self.axes, num_channels=len(self.offsets or ()))

    def open_superpixels(self) -> VolumeSource | None:
        """Open the array of superpixels, if they are given."""
        return None if self.superpixels is None else open_labels(self.superpixels, "superpixels")

    def open_mask(self) -> VolumeSource | None:
        """Open the mask, if there is one."""
        return None if self.mask is None else open_labels(self.mask, "mask")

    def make_watershed(self) -> BoundaryWatershed:
        """Return how blocks are divided."""
        return BoundaryWatershed(**self.watershed)

    def make_costs(self) -> BoundaryCosts:
        """Return how costs are computed."""
        return BoundaryCosts(**self.costs)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as they are kept in files."""
        values: dict[str, Any] = json.loads(json.dumps({"multicut": __version__, **asdict(self)}))
        return values

    def check_begun(self, folder: Path) -> None:
        """Raise an error if another job was begun in a folder."""
        check_begun(folder / _FILE, self.to_dict(), hidden=("input_version",))

    def working_in(self, folder: Path) -> AbstractContextManager[Path]:
        """Begin or go on in a folder, of which nobody else makes use meanwhile."""
        return working_in(folder, _FILE, self.to_dict(), hidden=("input_version",))

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Read the job of a folder."""
        values = json.loads((Path(folder) / _FILE).read_bytes())
        del values["multicut"]
        for key in ("input_version", "shape", "block_shape"):
            values[key] = tuple(values[key])
        if values["offsets"] is not None:
            values["offsets"] = tuple(tuple(offset) for offset in values["offsets"])
        return cls(**values)


def open_labels(path: str, name: str) -> VolumeSource:
    """Open an array of labels or a mask."""
    source = open_source(path, name=name)
    if np.dtype(source.dtype).kind not in "iub":
        raise ValueError(f"{name} {path}: must hold integers, got {np.dtype(source.dtype)}")
    return source
