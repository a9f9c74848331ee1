"""The native region graph against a version that looks at every pair of pixels in turn."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from multicut import vision
from multicut.vision.region_graph import number_regions

LABEL_TYPES = [np.uint32, np.uint64, np.int32, np.int64, np.uint8, np.int16]
shapes = st.one_of(arrays.array_shapes(min_dims=2, max_dims=3, max_side=6))


def half_of_the_neighbours(ndim, connectivity):
    steps = itertools.product((-1, 0, 1), repeat=ndim)
    return [s for s in steps if s > (0,) * ndim and sum(map(abs, s)) <= connectivity]


def samples_by_looking(labels, offsets, value, ignore=None):
    """Samples of each pair of labels u < v: value(channel, here, there) for each pair of pixels."""
    found: dict[tuple[int, int], list[tuple[int, float]]] = {}
    for channel, offset in enumerate(offsets):
        for here in np.ndindex(labels.shape):
            there = tuple(np.add(here, offset))
            if any(not 0 <= i < n for i, n in zip(there, labels.shape, strict=True)):
                continue
            u, v = sorted((int(labels[here]), int(labels[there])))
            if u != v and ignore not in (u, v):
                found.setdefault((u, v), []).append((channel, value(channel, here, there)))
    return dict(sorted(found.items()))


def pairs_of(graph):
    return [tuple(pair) for pair in graph.region_ids[graph.edges].tolist()]


@st.composite
def labelled_evidence(draw):
    shape = draw(shapes)
    dtype = draw(st.sampled_from(LABEL_TYPES))
    labels = draw(arrays.arrays(dtype, shape, elements=st.integers(0, 5)))
    kind = draw(st.sampled_from([np.float32, np.float64, np.uint8]))
    elements = (
        st.integers(0, 255) if kind == np.uint8 else st.floats(0, 1, width=np.finfo(kind).bits)
    )
    return labels, draw(arrays.arrays(kind, shape, elements=elements))


@given(labelled_evidence(), st.data())
def test_boundaries_are_summed_up_as_by_looking_at_each_pair(both, data):
    labels, boundaries = both
    connectivity = data.draw(st.integers(1, labels.ndim))
    ignore = data.draw(st.sampled_from([None, 0, 3]))
    graph = vision.region_graph(labels, boundaries, connectivity=connectivity, ignore=ignore)
    p = boundaries / 255 if boundaries.dtype == np.uint8 else boundaries.astype(np.float64)
    expected = samples_by_looking(
        labels,
        half_of_the_neighbours(labels.ndim, connectivity),
        lambda _, here, there: (p[here] + p[there]) / 2,
        ignore,
    )
    assert pairs_of(graph) == list(expected)
    values = [np.array([value for _, value in samples]) for samples in expected.values()]
    np.testing.assert_array_equal(graph.sizes, [len(v) for v in values])
    np.testing.assert_array_equal(graph.num_samples, graph.sizes)
    np.testing.assert_allclose(graph.mean, [v.mean() for v in values], atol=1e-12)
    np.testing.assert_allclose(graph.variance, [v.var() for v in values], atol=1e-12)
    np.testing.assert_allclose(graph.minimum, [v.min() for v in values], atol=1e-12)
    np.testing.assert_allclose(graph.maximum, [v.max() for v in values], atol=1e-12)
    bins = graph.histogram.shape[1]
    np.testing.assert_array_equal(graph.histogram.sum(axis=1), graph.sizes)
    for q in (0, 0.3, 0.5, 1):
        exact = [np.quantile(v, q, method="inverted_cdf") for v in values]
        assert np.all(np.abs(graph.quantile(q) - exact) <= 1 / bins + 1e-12)
    kept = labels[labels != ignore] if ignore is not None else labels
    ids, counts = np.unique(kept, return_counts=True)
    np.testing.assert_array_equal(graph.region_ids, ids)
    assert graph.region_ids.dtype.kind == labels.dtype.kind
    np.testing.assert_array_equal(graph.counts, counts)


@given(labelled_evidence(), st.data())
def test_affinities_link_pixels_that_are_an_offset_apart(both, data):
    labels, _ = both
    steps = st.tuples(*(st.integers(-3, 3) for _ in labels.shape)).filter(any)
    offsets = data.draw(st.lists(steps, min_size=1, max_size=4))
    seed = data.draw(st.integers(0, 2**32 - 1))
    affinities = np.random.default_rng(seed).random((len(offsets), *labels.shape))
    graph = vision.region_graph(labels, affinities=affinities, offsets=offsets)
    expected = samples_by_looking(labels, offsets, lambda c, here, _: 1 - affinities[(c, *here)])
    assert pairs_of(graph) == list(expected)
    is_near = [sum(map(abs, offset)) == 1 for offset in offsets]
    assert graph.sizes.tolist() == [
        sum(is_near[c] for c, _ in samples) for samples in expected.values()
    ]
    assert graph.num_samples.tolist() == [len(samples) for samples in expected.values()]
    np.testing.assert_array_equal(graph.adjacent, graph.sizes > 0)
    means = [np.mean([value for _, value in samples]) for samples in expected.values()]
    np.testing.assert_allclose(graph.mean, means, atol=1e-12)


@given(labelled_evidence(), st.sampled_from([None, 0, 2]))
def test_numbers_of_regions_lead_back_to_their_ids(both, ignore):
    labels, _ = both
    graph = vision.region_graph(labels, ignore=ignore)
    numbers = number_regions(labels, graph, ignore)
    inside = labels != ignore if ignore is not None else np.ones(labels.shape, bool)
    assert np.all(numbers[~inside] == -1)
    np.testing.assert_array_equal(graph.region_ids[numbers[inside]], labels[inside])


def blocks(shape, side, dtype=np.uint32):
    """Cubes, numbered, with ragged borders."""
    noise = np.random.default_rng(0).integers(0, 3, shape)
    grids = np.meshgrid(*(np.arange(n) for n in shape), indexing="ij")
    labels = np.zeros(shape, dtype=np.int64)
    for grid in grids:
        labels = labels * 1000 + (grid + noise) // side
    return labels.astype(dtype)


def test_the_result_depends_neither_on_threads_nor_on_the_type_of_labels():
    # Planes of 2^22 voxels and more are a slab each: three slabs, and edges between them.
    labels = blocks((3, 2048, 2048), 32)
    boundaries = np.random.default_rng(1).random(labels.shape, dtype=np.float32)
    alone = vision.region_graph(labels, boundaries, num_threads=1)
    together = vision.region_graph(labels.astype(np.int64), boundaries, num_threads=3)
    np.testing.assert_array_equal(alone.edges, together.edges)
    np.testing.assert_array_equal(alone.mean, together.mean)
    np.testing.assert_array_equal(alone.histogram, together.histogram)
    # All pairs that differ, counted by numpy.
    differ = sum(np.count_nonzero(np.diff(labels.astype(np.int64), axis=axis)) for axis in range(3))
    assert alone.sizes.sum() == differ
    assert alone.counts.sum() == labels.size


def test_labels_may_be_huge_and_in_any_memory_order():
    labels = np.array([[2**63 + 7, 5], [5, 2**40]], dtype=np.uint64)
    graph = vision.region_graph(labels)
    assert graph.region_ids.tolist() == [5, 2**40, 2**63 + 7]
    assert graph.edges.tolist() == [[0, 1], [0, 2]]
    assert graph.sizes.tolist() == [2, 2]
    assert vision.region_graph(np.asfortranarray(labels)).edges.tolist() == [[0, 1], [0, 2]]
    assert graph.mean is None
    assert graph.histogram is None


def test_features_for_a_classifier():
    graph = vision.region_graph([[0, 1], [0, 1]], [[0.2, 0.4], [0.6, 1.0]])
    features = graph.features(quantiles=(0.5,))
    assert features.shape == (1, 6)
    np.testing.assert_allclose(features[0, :5], [2, 0.55, 0.0625, 0.3, 0.8], atol=1e-12)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"superpixels": [[0.5, 1.0]]}, "superpixels must be integer labels, got float64"),
        ({"superpixels": [0, 1]}, r"must have shape \(H, W\) or \(D, H, W\), got \(2,\)"),
        ({"superpixels": [[-1, 1]]}, "must be at least 0, got negative labels"),
        ({"boundaries": [[0.5]]}, r"boundaries must have the superpixels' shape \(1, 2\)"),
        ({"boundaries": [[1.5, 0.5]]}, "boundaries must lie between 0 and 1, got 1"),
        ({"boundaries": [[np.nan, 0.5]]}, "boundaries must lie between 0 and 1, got nan"),
        ({"boundaries": np.array([[1, 2]])}, "boundaries must be uint8, uint16 or floating"),
        ({"connectivity": 3}, "connectivity must be between 1 and 2, got 3"),
        ({"offsets": [[0, 1]]}, "offsets describe affinities"),
        ({"affinities": [[[0.5, 0.5]]]}, "affinities need offsets"),
        (
            {"affinities": [[[0.5, 0.5]]], "offsets": [[0, 0, 1]]},
            r"offsets must be integers of shape \(1, 2\)",
        ),
        ({"affinities": [[[0.5, 0.5]]], "offsets": [[0, 0]]}, "offsets must not be zero"),
        (
            {"affinities": [[[2.0, 0.5]]], "offsets": [[0, 1]]},
            "affinities must lie between 0 and 1, got 2",
        ),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        vision.region_graph(**({"superpixels": [[0, 1]]} | arguments))


def test_a_negative_label_may_be_ignored():
    graph = vision.region_graph([[-1, 4, 4], [-1, 4, 9]], ignore=-1)
    assert graph.region_ids.tolist() == [4, 9]
    assert graph.sizes.tolist() == [2]


def test_no_pixels_no_regions():
    graph = vision.region_graph(np.zeros((0, 5), dtype=np.int32), np.zeros((0, 5)))
    assert (graph.num_regions, graph.num_edges) == (0, 0)
    assert graph.quantile(0.5).shape == (0,)


@pytest.mark.parametrize("far", [2**62, -(2**63), 2**64 - 1])
def test_offsets_that_lead_out_of_any_image_pair_nothing(far):
    labels = np.array([[0, 0, 1, 1]])
    affinities = np.full((2, 1, 4), 0.25)
    offsets = np.array([[0, 1], [0, far]], dtype=np.uint64 if far > 0 else np.int64)
    graph = vision.region_graph(labels, affinities=affinities, offsets=offsets)
    assert graph.num_samples.tolist() == [1]
    assert graph.mean.tolist() == [0.75]
