"""Scores of a segmentation against one or more true ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut._words import block, count
from multicut.vision.boundary_scores import BERKELEY_TOLERANCE, score_boundaries

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

from multicut._arrays import BoolArray, FloatArray, IntArray


@dataclass(frozen=True)
class Scores:
    """The scores of a segmentation. With several truths, all but the boundary scores are means.

    Attributes
    ----------
    vi_split, vi_merge
        The two parts of the variation of information, in bits: the entropy of the labels given the
        truth (false splits), and that of the truth given the labels (false merges). 0 is best.
    adapted_rand_error
        1 - F, where F is the harmonic mean of Rand precision and recall; 0 is best.
    rand_precision, rand_recall
        The fraction of the pairs of pixels in one segment that are in one true segment, and vice
        versa.
    boundary_precision, boundary_recall
        The fraction of boundary pixels that are matched by true ones, and vice versa; None for
        volumes.
    num_truths
        The number of true segmentations.
    """

    vi_split: float
    vi_merge: float
    adapted_rand_error: float
    rand_precision: float
    rand_recall: float
    boundary_precision: float | None = None
    boundary_recall: float | None = None
    num_truths: int = 1

    @property
    def variation_of_information(self) -> float:
        """Both parts of the variation of information, in bits; 0 is best."""
        return self.vi_split + self.vi_merge

    @property
    def boundary_f(self) -> float | None:
        """The harmonic mean of precision and recall of the boundary; 1 is best."""
        if self.boundary_precision is None or self.boundary_recall is None:
            return None
        return harmonic_mean(self.boundary_precision, self.boundary_recall)

    def summary(self) -> str:
        """Return a description of a few lines."""
        return block(self.rows())

    def rows(self) -> dict[str, str]:
        """Return the lines of :meth:`summary` as a mapping of names to values."""
        rows = {
            "variation of information": f"{self.variation_of_information:.4f} bits "
            f"(split {self.vi_split:.4f}, merge {self.vi_merge:.4f})",
            "adapted Rand error": f"{self.adapted_rand_error:.4f} "
            f"(precision {self.rand_precision:.4f}, recall {self.rand_recall:.4f})",
        }
        if self.boundary_f is not None:
            rows["boundary F"] = (
                f"{self.boundary_f:.4f} (precision {self.boundary_precision:.4f}, "
                f"recall {self.boundary_recall:.4f})"
            )
        if self.num_truths > 1:
            rows["compared with"] = count(self.num_truths, "segmentation")
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return all scores as plain Python values."""
        return asdict(self) | {
            "variation_of_information": self.variation_of_information,
            "boundary_f": self.boundary_f,
        }


def evaluate(
    labels: ArrayLike,
    truth: ArrayLike | Sequence[ArrayLike],
    *,
    ignore: int | Sequence[int] = (),
    boundary_tolerance: float = BERKELEY_TOLERANCE,
) -> Scores:
    """Compare a segmentation with the true one, or with several true ones.

    Parameters
    ----------
    labels
        An integer label for each pixel or voxel, in any number of dimensions.
    truth
        The same for the truth; or a list of such arrays. Variation of information and adapted Rand
        error are then means over them; boundaries are scored as in the Berkeley benchmark: a
        boundary pixel is correct if it matches *any* of the truths, and recall counts the boundary
        pixels of *all* of them.
    ignore
        Pixels with this label, or one of these, in the truth do not count.
    boundary_tolerance
        How far apart matched boundary pixels may lie, as a fraction of the image's diagonal.

    Notes
    -----
    Boundary pixels are defined as in the Berkeley benchmark, and each matches at most one other.
    The benchmark minimises the total distance with a large penalty for unmatched pixels; here the
    matching is of maximum size and starts with close pairs. Both match equally many pixels. With
    several truths these may be different pixels, which can change the precision slightly. An image
    without any boundary has a precision of 1; the benchmark reports 0.
    """
    given = _as_segmentation(labels, "labels")
    truths = _as_truths(truth, given)
    ignored = [ignore] if np.ndim(ignore) == 0 else ignore
    counted = [_without(one, ignored) for one in truths]
    for number, mask in enumerate(counted):
        if not mask.any():
            raise ValueError(f"ignore: no pixel of truth {number} is left to compare with")
    if not 0 <= boundary_tolerance < 1:
        raise ValueError(
            "boundary_tolerance must be a fraction of the diagonal, at least 0 and below 1, "
            f"got {boundary_tolerance}"
        )
    rows = np.array(
        [_region_scores(given, one, mask) for one, mask in zip(truths, counted, strict=True)]
    )
    split, merge, error, rand_precision, rand_recall = (float(mean) for mean in rows.mean(axis=0))
    precision = recall = None
    if given.ndim == 2:
        precision, recall = score_boundaries(given, truths, counted, boundary_tolerance)
    return Scores(
        split, merge, error, rand_precision, rand_recall, precision, recall, num_truths=len(truths)
    )


def harmonic_mean(precision: float, recall: float) -> float:
    """Return F, the harmonic mean; 0 if both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def _region_scores(labels: NDArray[Any], truth: NDArray[Any], counted: BoolArray) -> list[float]:
    """Variation of information (split, merge), adapted Rand error, precision and recall."""
    needed("skimage", by="a score of segments")
    from skimage.metrics import variation_of_information

    ours, true = _numbered(labels[counted]), _numbered(truth[counted])
    # Rounding can make them negative.
    split, merge = (max(0.0, float(part)) for part in variation_of_information(true, ours))
    # Not by skimage.metrics.adapted_rand_error: it returns the recall as precision and the other
    # way round (0.26), and NaN where no two pixels are together.
    together, here, there = (float((sizes * (sizes - 1)).sum()) for sizes in _overlaps(ours, true))
    precision = together / here if here > 0 else 1.0
    recall = together / there if there > 0 else 1.0
    error = 1 - 2 * together / (here + there) if here + there > 0 else 0.0
    return [split, merge, error, precision, recall]


def _overlaps(ours: IntArray, true: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Sizes of the overlaps of segments, of the segments, and of the true ones."""
    from scipy.sparse import coo_array

    table = coo_array((np.ones(len(ours)), (ours, true))).tocsr()
    return table.data, np.asarray(table.sum(axis=1)), np.asarray(table.sum(axis=0))


def _without(truth: NDArray[Any], ignored: Any) -> BoolArray:
    """Mark the pixels whose label is none of these; a label that the type lacks cannot occur."""
    limits = np.iinfo(truth.dtype)
    numbers = [number for number in map(index, ignored) if limits.min <= number <= limits.max]
    return ~np.isin(truth, np.array(numbers, dtype=truth.dtype))


def _numbered(labels: NDArray[Any]) -> IntArray:
    """Renumber labels from 0 on without gaps; tables are faster than sorting."""
    low, high = int(labels.min()), int(labels.max())
    if high - low > labels.size:
        return np.unique(labels, return_inverse=True)[1].ravel()
    # Labels of 64 bits may be too large for int64; their distance to the smallest is not.
    is_unsigned = labels.dtype.kind == "u"
    offsets = (labels - labels.dtype.type(low)) if is_unsigned else labels.astype(np.int64) - low
    occurs = np.zeros(high - low + 1, dtype=np.bool_)
    occurs[offsets] = True
    return (np.cumsum(occurs) - 1)[offsets]


def _as_truths(truth: Any, labels: NDArray[Any]) -> list[NDArray[Any]]:
    several = isinstance(truth, list | tuple) and (
        len(truth) == 0 or np.ndim(truth[0]) == labels.ndim
    )
    given = list(truth) if several else [truth]
    if not given:
        raise ValueError("truth must contain at least one segmentation")
    truths = [_as_segmentation(one, "truth") for one in given]
    for one in truths:
        if one.shape != labels.shape:
            raise ValueError(
                f"truth must have the shape of labels, {labels.shape}, got {one.shape}"
            )
    return truths


def _as_segmentation(values: ArrayLike, name: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype == np.bool_:
        array = array.astype(np.int64)
    if not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{name} must be integers, one for each pixel, got {array.dtype}")
    if array.size == 0:
        raise ValueError(f"{name} must not be empty, got shape {array.shape}")
    return array
