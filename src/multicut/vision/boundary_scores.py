"""Boundaries of segments, and matching of their pixels with those of the truth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._arrays import plain
from multicut._extras import needed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, IntArray

#: How far apart matched pixels may lie in the Berkeley benchmark, as a fraction of the diagonal.
BERKELEY_TOLERANCE = 0.0075
_ROUNDING = 1e-9


def boundary_map(labels: NDArray[Any], counted: BoolArray | None = None) -> BoolArray:
    """Return a mask of boundary pixels, thinned to a width of one pixel.

    A boundary pixel differs from the one to the right, below, or diagonally below. For the human
    segmentations of the Berkeley dataset the mask equals the boundaries that come with them. A
    pixel that is not `counted` makes no boundary with its neighbours.
    """
    needed("skimage", by="a score of boundaries")
    from skimage.morphology import thin

    edges = np.zeros(labels.shape, dtype=np.bool_)
    for down, right in ((0, 1), (1, 0), (1, 1)):
        height, width = labels.shape[0] - down, labels.shape[1] - right
        differ = labels[:height, :width] != labels[down:, right:]
        if counted is not None:
            differ &= counted[:height, :width] & counted[down:, right:]
        edges[:height, :width] |= differ
    return np.asarray(thin(edges))


def match_boundaries(
    one: BoolArray, other: BoolArray, distance: float
) -> tuple[IntArray, IntArray]:
    """Match as many pixels as possible, each at most once, that are at most `distance` apart.

    The matching is of maximum size and prefers close pairs. Returns the flat indices of the matched
    pixels of `one` and of `other`.
    """
    from scipy.spatial import cKDTree

    points, others = np.argwhere(one), np.argwhere(other)
    near = cKDTree(points).sparse_distance_matrix(
        cKDTree(others), distance + _ROUNDING, output_type="ndarray"
    )
    order = np.lexsort((near["j"], near["i"], near["v"]))
    pairs = np.stack([near["i"], near["j"]], axis=1)[order].astype(np.int64)
    # SciPy's maximum_bipartite_matching needs seconds to minutes for such graphs.
    partners = plain(_core.match_bipartite(len(points), len(others), pairs))
    matched = partners >= 0
    return np.flatnonzero(one)[matched], np.flatnonzero(other)[partners[matched]]


def score_boundaries(
    labels: NDArray[Any],
    truths: Sequence[NDArray[Any]],
    counted: Sequence[BoolArray],
    tolerance: float,
) -> tuple[float, float]:
    """Return precision and recall of boundary pixels as the Berkeley benchmark defines them.

    Precision is the fraction of our pixels that match any of the truths; recall is the fraction of
    the pixels of all truths together that are matched.
    """
    distance = tolerance * float(np.hypot(*labels.shape))
    ours = boundary_map(labels) & np.any(counted, axis=0)
    right = np.zeros(ours.size, dtype=np.bool_)
    num_found = num_true = 0
    for truth, mask in zip(truths, counted, strict=True):
        true = boundary_map(truth, mask)
        found_here, found_there = match_boundaries(ours & mask, true, distance)
        right[found_here] = True
        num_found += len(found_there)
        num_true += int(true.sum())
    num_ours = int(ours.sum())
    precision = int(right.sum()) / num_ours if num_ours else 1.0
    recall = num_found / num_true if num_true else 1.0
    return precision, recall
