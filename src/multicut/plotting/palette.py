"""Colours that can be distinguished with any kind of colour vision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.problem import Problem

ATTRACTIVE = "#3b7dc4"
REPULSIVE = "#d1422f"
CUT = "#b9bec6"
NODE = "#2b3038"
SINGLE = "#d5d9df"
# On images: borders of superpixels, borders that are cut and the rim around them, cut edges.
BORDER = "#ffffffb0"
CUT_BORDER = "#ffd400"
HALO = "#10131a"
CUT_EDGE = "#7b8490"

# Clusters take the first colour that no neighbour has, so the first ones are the most frequent.
CLUSTERS = (
    "#4477aa",
    "#ee8866",
    "#228833",
    "#ccbb44",
    "#aa3377",
    "#66ccee",
    "#994f00",
    "#88a9e8",
    "#e377a2",
    "#117733",
    "#882255",
    "#44aa99",
)


def cluster_colours(problem: Problem, labels: IntArray) -> FloatArray:
    """Choose one RGB colour per cluster such that clusters joined by an edge differ.

    Clusters of one node are light grey, since most solutions have many of them. If a cluster has
    more neighbours than the palette has colours, it gets the least used colour.
    """
    from matplotlib.colors import to_rgb

    num_clusters = int(labels.max()) + 1 if len(labels) else 0
    sizes = np.bincount(labels, minlength=num_clusters)
    ends = labels[problem.edges]
    ends = ends[(sizes[ends] > 1).all(axis=1) & (ends[:, 0] != ends[:, 1])]
    table = np.array([to_rgb(colour) for colour in (*CLUSTERS, SINGLE)])
    chosen = choose_colours(ends, sizes)
    return np.asarray(table[np.where(sizes > 1, chosen, -1)])


def segment_colours(edges: IntArray, sizes: IntArray) -> FloatArray:
    """Choose one RGB colour per segment such that those joined by one of `edges` differ."""
    from matplotlib.colors import to_rgb

    table = np.array([to_rgb(colour) for colour in CLUSTERS])
    return np.asarray(table[choose_colours(edges, sizes)])


def choose_colours(edges: IntArray, sizes: IntArray) -> IntArray:
    """Choose the number of a colour for each node, large ones first; those with an edge differ."""
    pairs = np.unique(np.concatenate([edges, edges[:, ::-1]]), axis=0)
    first = np.searchsorted(pairs[:, 0], np.arange(len(sizes) + 1))
    chosen = np.full(len(sizes), -1)
    usage = np.zeros(len(CLUSTERS), dtype=np.int64)
    for node in np.argsort(-sizes, kind="stable"):
        around = chosen[pairs[first[node] : first[node + 1], 1]]
        taken = np.bincount(around[around >= 0], minlength=len(CLUSTERS))
        # Choose the least used of the free colours, for variety.
        best = np.lexsort((usage, taken))[0]
        chosen[node] = best
        usage[best] += 1
    return chosen
