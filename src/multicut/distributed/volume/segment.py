"""Segmentation of a volume block by block, from files to files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from multicut.distributed.cluster import connected
from multicut.distributed.stages import Report
from multicut.distributed.volume.planning import plan_job
from multicut.distributed.volume.report import BlockwiseReport
from multicut.vision.costs import BoundaryCosts
from multicut.vision.superpixels import BoundaryWatershed

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def segment_blockwise(
    source: str | os.PathLike[str],
    target: str | os.PathLike[str],
    *,
    superpixels: str | os.PathLike[str] | BoundaryWatershed | None = None,
    offsets: ArrayLike | None = None,
    lifted: bool = False,
    mask: str | os.PathLike[str] | None = None,
    axes: str | None = None,
    costs: BoundaryCosts | None = None,
    bias: float = 0.5,
    connectivity: int = 1,
    block_shape: SupportsIndex | Sequence[int] | None = None,
    halo: int | None = None,
    histogram: bool = False,
    pyramid: int = 0,
    solver: str = "klj",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    bound_rounds: int = 2,
    cluster: str | None = None,
    num_workers: int | None = 1,
    report: Report | None = None,
    **options: Any,
) -> BlockwiseReport:
    """Segment a volume that need not fit into memory, block by block, from files to files.

    Each block is divided into fragments by a watershed that sees a halo around it. The region graph
    of all fragments, with the evidence along its edges, is that of the whole volume. It is solved
    block by block: what is joined in a block is contracted, neighbouring blocks are put together,
    and so on until one problem is left.

    If a run is stopped, even killed, the same call continues it. Files of stages that are done are
    in a folder ``<target>.partial`` until the labels are in their place. The labels do not depend
    on the number of workers or on interruptions, unless a time limit ends a solver.

    Parameters
    ----------
    source
        A boundary map or affinities in Zarr, N5 or HDF5; a dataset may follow after a colon:
        ``"volume.zarr:boundaries"``. Of an image of OME-Zarr, the finest resolution is read.
    target
        Where labels go: .zarr, .n5 or .h5. They are 1 … k, unsigned integers of 64 bits, and 0
        outside of the mask. Chunks and metadata are those of the source. The table of the region
        graph and the report are written beside it.
    superpixels
        An array of labels on disk, or a record with parameters of the watershed.
    offsets
        Offsets of affinities, one per channel; without them `source` is a boundary map.
    lifted
        Whether affinities with offsets longer than 1 lead to lifted edges, which connect nothing.
        Otherwise all affinities lead to ordinary edges.
    mask
        An array on disk that is not zero where to segment.
    axes
        One letter of t, c, z, y, x for each axis of `source`; by default those in its metadata, or
        channels first and then space.
    costs
        How costs follow from the evidence; by default ``multicut.vision.BoundaryCosts()``.
    bias
        Prior probability of a cut, between 0 and 1.
    connectivity
        Which voxels are neighbours: those that differ by 1 along at most so many axes. Affinities
        define neighbours by their offsets.
    block_shape
        Voxels of a block along each axis, in whole chunks of the target. By default as many chunks
        as make about 256 × 256 × 256 voxels.
    halo
        How many voxels around its block a watershed sees, 24 by default.
    histogram
        Whether to collect histograms of the evidence, which add quantiles to the table.
    pyramid
        How many coarser levels to write, each at half the resolution, as an image of OME-Zarr.
    solver, time_limit, seed, **options
        As in :func:`multicut.solve`, for each block.
    bound_rounds
        How many rounds the search for the lower bound takes; each raises it by less.
    cluster
        The address of a running Dask scheduler, such as ``tcp://10.0.0.1:8786``. Its workers need
        this package, and the files under the same paths.
    num_workers
        Without `cluster`, the number of processes on this machine; None for as many as it has
        processors. More than one need Dask and, in a script, ``if __name__ == "__main__":``.
    report
        Called as ``report(stage, done, total)`` whenever a task is done.
    """
    plan = plan_job(
        source,
        target,
        superpixels=superpixels,
        offsets=offsets,
        lifted=lifted,
        mask=mask,
        axes=axes,
        costs=costs,
        bias=bias,
        connectivity=connectivity,
        block_shape=block_shape,
        halo=halo,
        histogram=histogram,
        pyramid=pyramid,
        solver=solver,
        time_limit=time_limit,
        seed=seed,
        options=options,
        bound_rounds=bound_rounds,
    )
    finished = plan.finished()
    if finished is not None:
        return finished
    plan.check_place()
    workers = None if cluster is not None else num_workers
    with connected(cluster, num_workers=workers, keeps_memory=True) as client:
        return plan.run(client, report)
