"""Region graphs, with statistics of the boundary evidence along each edge."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from multicut import _core
from multicut._arrays import frozen, plain
from multicut._checks import check_integer
from multicut._threads import check_threads
from multicut._words import count

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import BoolArray, FloatArray, IntArray


_FARTHEST = 2**40


@dataclass(frozen=True, eq=False)
class RegionGraph:
    """The regions of an image or volume, with an edge between each two that are adjacent.

    Attributes
    ----------
    region_ids
        Integer array of shape (n,): the labels that occur, ascending. Region i has this label.
    counts
        Integer array of shape (n,): the pixels of each region.
    edges
        Integer array of shape (m, 2): pairs i < j of regions, ascending.
    sizes
        Integer array of shape (m,): the length or area of each contact, in pairs of neighbouring
        pixels. Zero where regions are linked by a long-range affinity only.
    num_samples
        Integer array of shape (m,): the pairs of pixels that the evidence was taken from.
    mean, variance, minimum, maximum
        Arrays of shape (m,): statistics of the boundary evidence along each contact; None if there
        was no evidence.
    histogram
        Integer array of shape (m, bins): that evidence in bins of equal width between 0 and 1, or
        None. :meth:`quantile` reads it.
    """

    region_ids: NDArray[np.integer]
    counts: IntArray
    edges: IntArray
    sizes: IntArray
    num_samples: IntArray
    mean: FloatArray | None = None
    variance: FloatArray | None = None
    minimum: FloatArray | None = None
    maximum: FloatArray | None = None
    histogram: NDArray[np.uint32] | None = None

    @property
    def num_regions(self) -> int:
        """The number of regions."""
        return len(self.counts)

    @property
    def num_edges(self) -> int:
        """The number of pairs of regions that are adjacent or linked."""
        return len(self.edges)

    @property
    def adjacent(self) -> BoolArray:
        """Whether the regions of each edge touch; false for long-range edges."""
        return self.sizes > 0

    def quantile(self, q: float) -> FloatArray:
        """Return a quantile of the evidence along each edge, 0.5 for the median.

        It is interpolated linearly within a bin of the histogram, so the error is at most the width
        of a bin; it lies between `minimum` and `maximum`.
        """
        if not 0 <= q <= 1:
            raise ValueError(f"q must be between 0 and 1, got {q}")
        if self.histogram is None or self.minimum is None or self.maximum is None:
            raise ValueError(
                "the region graph has no histogram; build it with boundaries and histogram=True"
            )
        below = np.cumsum(self.histogram, axis=1, dtype=np.float64)
        wanted = q * below[:, -1]
        rows = np.arange(self.num_edges)
        bins = np.minimum((below < wanted[:, np.newaxis]).sum(axis=1), below.shape[1] - 1)
        inside = np.maximum(self.histogram[rows, bins], 1)
        share = 1 - (below[rows, bins] - wanted) / inside
        values = (bins + np.clip(share, 0, 1)) / below.shape[1]
        clipped: FloatArray = np.clip(values, self.minimum, self.maximum)
        return clipped

    def features(self, quantiles: tuple[float, ...] = (0.1, 0.25, 0.5, 0.75, 0.9)) -> FloatArray:
        """Return a matrix with one row of features per edge, for instance for a classifier.

        Columns: size, then mean, variance, minimum, maximum and `quantiles` where there is
        evidence; quantiles only where there is a histogram.
        """
        columns: list[NDArray[Any]] = [self.sizes]
        columns += [
            column
            for column in (self.mean, self.variance, self.minimum, self.maximum)
            if column is not None
        ]
        if self.histogram is not None:
            columns += [self.quantile(q) for q in quantiles]
        return np.stack([column.astype(np.float64) for column in columns], axis=1)

    def __repr__(self) -> str:
        return f"RegionGraph({count(self.num_regions, 'region')}, {count(self.num_edges, 'edge')})"


def region_graph(
    superpixels: ArrayLike,
    boundaries: ArrayLike | None = None,
    *,
    affinities: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    connectivity: int = 1,
    ignore: int | None = None,
    histogram: bool = True,
    num_threads: int | None = None,
) -> RegionGraph:
    """Build the region graph of an image or volume in one native pass.

    Memory beyond the arrays themselves is proportional to regions and edges: about 100 bytes per
    edge, 250 with a histogram.

    Parameters
    ----------
    superpixels
        Integer array of shape (H, W) or (D, H, W): a label of at least 0 for each pixel.
    boundaries
        Array of the same shape with values between 0 and 1 (or uint8, 0 … 255): the
        probability that a pixel lies on a boundary. The evidence of a pair of neighbouring pixels
        is the mean of their values.
    affinities
        Array of shape (C, *shape*), instead of `boundaries`: ``affinities[c][x]`` between 0 and 1
        (or uint8) is the probability that the pixels ``x`` and ``x + offsets[c]`` belong together.
        The evidence of a boundary is one minus that. Offsets of length 1 are contacts between
        neighbours; longer ones link regions that need not touch.
    offsets
        Integer array of shape (C, 2) or (C, 3), in the order of the array's axes.
    connectivity
        Which pixels are neighbours: those that differ by 1 along at most this many axes. 1 means 4
        neighbours in an image and 6 in a volume; 2 adds the diagonals of squares. Affinities define
        neighbours by their offsets.
    ignore
        A label whose pixels belong to no region, such as 0 for background or -1.
    histogram
        Whether to collect histograms of the evidence, for quantiles.
    num_threads
        By default as many as this process may use. The result does not depend on it.
    """
    volume = label_volume(superpixels, ignore)
    channels = _channels(volume, boundaries, affinities, offsets, connectivity)
    evidence = channels.evidence
    found = _core.region_graph(
        volume.labels,
        volume.shape,
        volume.ignored,
        channels.steps,
        channels.touching,
        evidence,
        affinities is not None,
        histogram and evidence is not None,
        check_threads(num_threads),
    )
    region_ids = found["regions"]
    if volume.is_signed and len(region_ids) > 0 and region_ids[-1] > volume.largest:
        raise ValueError(
            "superpixels must be at least 0, got negative labels; "
            "name the one to leave out with ignore=..."
        )
    samples = plain(found["samples"])
    statistics: dict[str, FloatArray] = {}
    if evidence is not None:
        mean, variance = moments(found["sum"], found["sum_of_squares"], samples)
        statistics = {
            "mean": frozen(mean),
            "variance": frozen(variance),
            "minimum": frozen(found["minimum"]),
            "maximum": frozen(found["maximum"]),
        }
    return RegionGraph(
        region_ids=frozen(region_ids.astype(volume.dtype)),
        counts=frozen(plain(found["counts"])),
        edges=frozen(plain(found["edges"])),
        sizes=frozen(plain(found["touching"])),
        num_samples=frozen(samples),
        histogram=None if found["histogram"] is None else frozen(found["histogram"]),
        **statistics,
    )


def region_graph_part(
    superpixels: NDArray[Any],
    begin: tuple[int, ...],
    end: tuple[int, ...],
    boundaries: NDArray[Any] | None = None,
    *,
    affinities: NDArray[Any] | None = None,
    offsets: ArrayLike | None = None,
    connectivity: int = 1,
    ignore: int | None = None,
    histogram: bool = True,
) -> dict[str, NDArray[Any]]:
    """Return what a box of a volume adds to its region graph, from arrays that reach beyond it.

    Pairs of pixels belong to the box that the first of them lies in. Sums are exact, so those of
    all boxes add up to the region graph of the whole volume. Parameters as for
    :func:`region_graph`; `begin` and `end` are the box within the arrays.

    Returns the labels in the box (`regions`) with their `counts`, and for each pair of regions that
    meet there (`pairs`, of labels) the fields `touching`, `samples`, `minimum`, `maximum`,
    `histogram`, and the exact sums that :func:`moments` reads.
    """
    volume = label_volume(superpixels, ignore)
    channels = _channels(volume, boundaries, affinities, offsets, connectivity)
    flat = [(0, 1)] if len(begin) == 2 else []
    (z, y, x) = [(begin[0], end[0]), *flat, *zip(begin[1:], end[1:], strict=True)]
    found: dict[str, NDArray[Any]] = _core.region_graph_part(
        volume.labels,
        volume.shape,
        volume.ignored,
        (z[0], y[0], x[0]),
        (z[1], y[1], x[1]),
        channels.steps,
        channels.touching,
        channels.evidence,
        affinities is not None,
        histogram and channels.evidence is not None,
        1,
    )
    return found


class _Channels(NamedTuple):
    """Pairs of pixels to look at, as the native core takes them."""

    steps: IntArray
    touching: BoolArray
    evidence: NDArray[Any] | None


def _channels(
    volume: LabelVolume,
    boundaries: ArrayLike | None,
    affinities: ArrayLike | None,
    offsets: ArrayLike | None,
    connectivity: int,
) -> _Channels:
    evidence: NDArray[Any] | None
    if affinities is not None:
        if boundaries is not None:
            raise ValueError("pass boundaries or affinities, not both")
        steps, evidence = _as_affinities(affinities, offsets, volume.own_shape)
        touching = np.abs(steps).sum(axis=1) == 1
    elif offsets is not None:
        raise ValueError("offsets describe affinities; pass affinities as well")
    else:
        steps = neighbours(len(volume.own_shape), connectivity)
        evidence = None if boundaries is None else _as_boundaries(boundaries, volume.own_shape)
        touching = np.ones(len(steps), dtype=bool)
    return _Channels(_in_three_axes(steps), touching, evidence)


def moments(
    sums: NDArray[np.uint64], sums_of_squares: NDArray[np.uint64], samples: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return mean and variance from the exact sums of the core, each a row of two integers."""
    counts = np.maximum(samples, 1)
    mean = _rounded(sums) / counts
    return mean, np.maximum(_rounded(sums_of_squares) / counts - mean**2, 0)


def _rounded(sums: NDArray[np.uint64]) -> FloatArray:
    """Return sums in fixed point, multiples of 4 and of 2^-62, as floating-point numbers."""
    high, low = sums.T.astype(np.float64)
    total: FloatArray = high * 4.0 + low / 2.0**62
    return total


def number_regions(
    superpixels: ArrayLike, graph: RegionGraph, ignore: int | None = None
) -> IntArray:
    """Return the number of each pixel's region in a graph of these superpixels, -1 for none."""
    volume = label_volume(superpixels, ignore)
    numbers = _core.number_voxels(
        volume.labels, volume.shape, volume.ignored, graph.region_ids.astype(np.uint64)
    )
    return plain(numbers).reshape(volume.own_shape)


class LabelVolume(NamedTuple):
    """Labels as the native core takes them."""

    labels: NDArray[Any]
    shape: tuple[int, int, int]
    ignored: int | None
    own_shape: tuple[int, ...]
    dtype: np.dtype[Any]
    is_signed: bool

    @property
    def largest(self) -> int:
        """The largest label that is not a negative one stored as unsigned."""
        return int(np.iinfo(self.dtype).max)


def label_volume(superpixels: ArrayLike, ignore: int | None) -> LabelVolume:
    """Check labels of pixels; they are copied only if their type or layout asks for it."""
    array = np.asarray(superpixels)
    if array.dtype.kind not in "iu":
        raise TypeError(f"superpixels must be integer labels, got {array.dtype}")
    if array.ndim not in (2, 3):
        raise ValueError(f"superpixels must have shape (H, W) or (D, H, W), got {array.shape}")
    is_signed = array.dtype.kind == "i"
    kind, size = array.dtype.kind, max(array.dtype.itemsize, 4)
    array = np.ascontiguousarray(array, dtype=f"{kind}{size}")
    ignored = None
    if ignore is not None:
        limits = np.iinfo(array.dtype)
        if limits.min <= ignore <= limits.max:  # another label cannot occur
            ignored = int(ignore) % 2 ** (8 * size)
    # An image is a volume of one column: slabs are then made of its rows.
    shape = array.shape if array.ndim == 3 else (array.shape[0], 1, array.shape[1])
    return LabelVolume(
        array.view(f"u{size}").ravel(), shape, ignored, array.shape, array.dtype, is_signed
    )


def _in_three_axes(steps: IntArray) -> IntArray:
    if steps.shape[1] == 3:
        return np.ascontiguousarray(steps)
    return np.stack([steps[:, 0], np.zeros_like(steps[:, 0]), steps[:, 1]], axis=1)


def neighbours(ndim: int, connectivity: int) -> IntArray:
    """Return offsets to half of the neighbours, so that each pair occurs once."""
    if not 1 <= check_integer(1, connectivity=connectivity) <= ndim:
        raise ValueError(f"connectivity must be between 1 and {ndim}, got {connectivity}")
    steps = [
        step
        for step in itertools.product((-1, 0, 1), repeat=ndim)
        if step > (0,) * ndim and sum(map(abs, step)) <= connectivity
    ]
    return np.array(steps, dtype=np.int64)


def as_evidence(values: ArrayLike, name: str) -> NDArray[Any]:
    """Bring evidence to a type that the core reads; :func:`check_evidence` looks at the values."""
    array = np.asarray(values)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype.kind == "b" or array.dtype == np.float16:
        array = array.astype(np.float32)
    if array.dtype == np.uint16:
        array = array.astype(np.float32) / np.float32(65535)
    if array.dtype not in (np.uint8, np.float32, np.float64):
        raise TypeError(f"{name} must be uint8, uint16 or floating-point, got {array.dtype}")
    return np.ascontiguousarray(array)


def check_evidence(evidence: NDArray[Any], name: str) -> None:
    """Raise an error if evidence is not between 0 and 1.

    The core checks values only between adjacent regions. That misses superpixels made from invalid
    evidence: if nothing is below their threshold, there is one region and no edge.
    """
    if evidence.dtype == np.uint8 or evidence.size == 0:
        return
    for extreme in (float(evidence.min()), float(evidence.max())):
        if not 0 <= extreme <= 1:
            hint = "; divide by 255, or give uint8" if 1 < extreme <= 255 else ""
            raise ValueError(f"{name} must lie between 0 and 1, got {extreme:g}{hint}")


def _as_boundaries(boundaries: ArrayLike, shape: tuple[int, ...]) -> NDArray[Any]:
    array = as_evidence(boundaries, "boundaries")
    if array.shape != shape:
        raise ValueError(f"boundaries must have the superpixels' shape {shape}, got {array.shape}")
    return array.ravel()


def _as_affinities(
    affinities: ArrayLike, offsets: ArrayLike | None, shape: tuple[int, ...]
) -> tuple[IntArray, NDArray[Any]]:
    array = as_evidence(affinities, "affinities")
    if array.ndim != len(shape) + 1 or array.shape[1:] != shape:
        raise ValueError(
            f"affinities must have shape (C, {', '.join(map(str, shape))}), got {array.shape}"
        )
    return as_offsets(offsets, len(array), len(shape)), array.ravel()


def as_offsets(offsets: ArrayLike | None, num_channels: int, ndim: int) -> IntArray:
    """Check the offsets of affinities."""
    if offsets is None:
        raise ValueError("affinities need offsets=..., one offset per channel")
    try:
        steps = np.asarray(offsets)
    except ValueError:  # rows of different lengths
        raise ValueError(
            f"offsets must be integers of shape ({num_channels}, {ndim}), got rows of different "
            f"lengths"
        ) from None
    if steps.dtype.kind not in "iu" or steps.shape != (num_channels, ndim):
        raise ValueError(
            f"offsets must be integers of shape ({num_channels}, {ndim}), one per channel of the "
            f"affinities, got {steps.dtype} of shape {steps.shape}"
        )
    if (steps == 0).all(axis=1).any():
        raise ValueError("offsets must not be zero; such a pixel is paired with itself")
    # What leads out of every image does so from here on, too, and sums of it do not overflow.
    return np.asarray(np.clip(steps.astype(object), -_FARTHEST, _FARTHEST), dtype=np.int64)
