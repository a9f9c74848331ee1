"""Arguments of a segmentation, checked before any work is done."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from multicut._checks import check_integer, check_number, check_seed
from multicut._extras import needed
from multicut.distributed.volume.job import Job, open_labels
from multicut.distributed.volume.planned import Planned
from multicut.distributed.volume.shapes import (
    DEFAULT_HALO,
    check_block_shape,
    choose_block_shape,
)
from multicut.distributed.volume.source import open_source
from multicut.distributed.volume.target import find_target
from multicut.solvers import check_takes_lifted, get_solver
from multicut.vision.costs import BoundaryCosts, check_bias
from multicut.vision.files import find_place
from multicut.vision.region_graph import as_offsets
from multicut.vision.superpixels import BoundaryWatershed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def plan_job(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    superpixels: str | os.PathLike[str] | BoundaryWatershed | None,
    offsets: ArrayLike | None,
    mask: str | os.PathLike[str] | None,
    axes: str | None,
    costs: BoundaryCosts | None,
    bias: float,
    connectivity: int,
    block_shape: SupportsIndex | Sequence[int] | None,
    halo: int | None,
    histogram: bool,
    pyramid: int,
    solver: str,
    time_limit: float | None,
    seed: SupportsIndex,
    options: Mapping[str, Any],
    lifted: bool = False,
    bound_rounds: int = 2,
) -> Planned:
    """Check all arguments, before any work is done."""
    record = get_solver(solver)
    record.parse_options(options)
    check_takes_lifted(record, is_lifted=lifted)
    check_bias(bias)
    steps = None if offsets is None else _check_offsets(offsets)
    if lifted:
        _check_lifted(steps)
    opened = open_source(os.fspath(source), axes=axes, num_channels=len(steps or ()))
    if steps is not None:
        as_offsets(steps, len(steps), len(opened.shape))
    if np.dtype(opened.dtype).kind not in "ufb":
        raise ValueError(
            f"source {source}: must hold probabilities, uint8 or uint16, got {opened.dtype}"
        )
    if min(opened.shape) == 0:
        raise ValueError(f"source {source}: is empty, of shape {opened.shape}")
    placed = find_target(os.fspath(target), opened, pyramid=check_integer(0, pyramid=pyramid))
    width = DEFAULT_HALO if halo is None else check_integer(0, halo=halo)
    given, division = _check_superpixels(superpixels, steps, width)
    shape = opened.shape
    inputs = [opened]
    for name, other in (("superpixels", given), ("mask", mask)):
        if other is None:
            continue
        inputs.append(open_labels(_absolute(other), name))
        if inputs[-1].shape != shape:
            raise ValueError(
                f"{name} {other}: must have the source's shape {shape}, got {inputs[-1].shape}"
            )
    chunks = placed.chunks
    weigh = costs or BoundaryCosts()
    if not isinstance(weigh, BoundaryCosts):
        raise TypeError(
            f"costs must be a multicut.vision.BoundaryCosts, got {type(weigh).__name__}"
        )
    job = Job(
        source=_absolute(source),
        input_version=tuple(each.written() for each in inputs),
        shape=shape,
        block_shape=(
            choose_block_shape(shape, chunks)
            if block_shape is None
            else check_block_shape(block_shape, shape, chunks)
        ),
        halo=width,
        superpixels=None if given is None else _absolute(given),
        mask=None if mask is None else _absolute(mask),
        axes=axes,
        offsets=steps,
        watershed={} if division is None else asdict(division),
        costs=asdict(weigh),
        bias=float(bias),
        connectivity=check_integer(1, connectivity=connectivity),
        histogram=bool(histogram) or weigh.needs_histogram,
        solver=solver,
        time_limit=None if time_limit is None else check_number(0, time_limit=time_limit),
        seed=check_seed(seed),
        options=dict(options),
        pyramid=pyramid,
        lifted=bool(lifted),
        bound_rounds=check_integer(0, bound_rounds=bound_rounds),
    )
    if job.connectivity > len(shape):
        raise ValueError(f"connectivity must be between 1 and {len(shape)}, got {connectivity}")
    if steps is not None and connectivity != 1:
        raise ValueError(
            "connectivity has no effect on affinities, whose offsets define neighbours"
        )
    return Planned(job, opened, placed)


def _check_offsets(offsets: ArrayLike) -> tuple[tuple[int, ...], ...]:
    try:
        steps = np.asarray(offsets)
    except ValueError:
        steps = np.zeros(0)
    if steps.ndim != 2 or steps.dtype.kind not in "iu" or len(steps) == 0:
        raise ValueError(
            f"offsets must be integers, one row per channel such as [[1, 0, 0], [0, 1, 0]], "
            f"got {offsets!r}"
        )
    return tuple(tuple(int(entry) for entry in row) for row in steps)


def _check_lifted(offsets: tuple[tuple[int, ...], ...] | None) -> None:
    """Raise an error unless some offsets connect neighbours, and others lead farther."""
    if offsets is None:
        raise ValueError("lifted=True needs affinities, of which the long-range ones are lifted")
    lengths = {sum(map(abs, offset)) for offset in offsets}
    if 1 not in lengths:
        raise ValueError(
            "lifted=True needs offsets of length 1 as well: lifted edges connect no regions"
        )
    if lengths == {1}:
        raise ValueError("lifted=True needs offsets longer than 1, which lead to lifted edges")


def _check_superpixels(
    superpixels: str | os.PathLike[str] | BoundaryWatershed | None,
    offsets: tuple[tuple[int, ...], ...] | None,
    halo: int,
) -> tuple[str | os.PathLike[str] | None, BoundaryWatershed | None]:
    """Return superpixels on disk, or how to make them."""
    if isinstance(superpixels, str | os.PathLike):
        return superpixels, None
    division = superpixels
    if division is None:
        division = BoundaryWatershed(engine="bioimage-cpp")
    if not isinstance(division, BoundaryWatershed):
        raise TypeError(
            f"superpixels must be the path of an array of labels or a "
            f"multicut.vision.BoundaryWatershed, got {type(superpixels).__name__}"
        )
    if offsets is not None and not any(sum(map(abs, offset)) == 1 for offset in offsets):
        raise ValueError(
            "none of the offsets leads to a neighbouring voxel, so there are no boundaries to make "
            "superpixels from; give superpixels"
        )
    if division.engine == "bioimage-cpp":
        needed("bioimage_cpp", by="a watershed of blocks", extra="zarr")
    else:
        needed("skimage", by="a watershed of blocks")
    if division.reach == 0:
        # The farthest that a block knows: distances then do not depend on where blocks end.
        division = replace(division, reach=max(halo / 2, 1.0))
    return None, division


def _absolute(path: str | os.PathLike[str]) -> str:
    """Return where an array is, whatever folder a worker runs in."""
    place = find_place(path)
    return str(place._replace(path=place.path.resolve()))
