from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from skimage.metrics import adapted_rand_error, variation_of_information

import multicut as mc
from multicut.vision import Scores, evaluate, read_ground_truth
from multicut.vision.boundary_scores import boundary_map, match_boundaries

SMALL = arrays.arrays(np.int64, (4, 5), elements=st.integers(0, 3))


def pairs_together(labels):
    flat = np.ravel(labels)
    return {(i, j) for i, j in itertools.combinations(range(len(flat)), 2) if flat[i] == flat[j]}


def conditional_entropy(x, given_y):
    """H(x | y) in bits, by its definition."""
    x, y = np.ravel(x), np.ravel(given_y)
    total = 0.0
    for b in np.unique(y):
        _, counts = np.unique(x[y == b], return_counts=True)
        shares = counts / counts.sum()
        total += (y == b).mean() * -(shares * np.log2(shares)).sum()
    return total


@given(SMALL, SMALL)
def test_region_scores_follow_their_definitions(labels, truth):
    scores = evaluate(labels, truth)
    ours, true = pairs_together(labels), pairs_together(truth)
    assert scores.rand_precision == pytest.approx(len(ours & true) / len(ours) if ours else 1)
    assert scores.rand_recall == pytest.approx(len(ours & true) / len(true) if true else 1)
    f = 2 * len(ours & true) / (len(ours) + len(true))
    assert scores.adapted_rand_error == pytest.approx(1 - f)
    assert scores.vi_split == pytest.approx(conditional_entropy(labels, truth), abs=1e-12)
    assert scores.vi_merge == pytest.approx(conditional_entropy(truth, labels), abs=1e-12)


@given(SMALL, SMALL)
def test_region_scores_agree_with_scikit_image(labels, truth):
    scores = evaluate(labels, truth)
    split, merge = variation_of_information(truth, labels)
    assert (scores.vi_split, scores.vi_merge) == (
        pytest.approx(split, abs=1e-9),
        pytest.approx(merge, abs=1e-9),
    )
    assert scores.adapted_rand_error == pytest.approx(
        adapted_rand_error(truth, labels, ignore_labels=())[0], abs=1e-9
    )


@given(SMALL)
def test_the_truth_itself_is_perfect(truth):
    scores = evaluate(7 * truth + 10**12, truth)
    assert scores == Scores(
        pytest.approx(0), pytest.approx(0), pytest.approx(0), 1.0, 1.0, 1.0, 1.0
    )
    assert scores.boundary_f == 1.0


def stripes(width, size=40):
    return np.tile(np.arange(size) // width, (size, 1))


def test_splitting_costs_precision_of_boundaries_and_merging_recall():
    split, merged = evaluate(stripes(10), stripes(20)), evaluate(stripes(20), stripes(10))
    assert split.vi_merge == merged.vi_split == 0
    assert (split.vi_split, merged.vi_merge) == (pytest.approx(1), pytest.approx(1))
    assert (split.rand_precision, merged.rand_recall) == (1, 1)
    assert (split.boundary_precision, split.boundary_recall) == (pytest.approx(1 / 3), 1)
    assert (merged.boundary_precision, merged.boundary_recall) == (1, pytest.approx(1 / 3))
    assert split.boundary_f == pytest.approx(0.5)


@pytest.mark.parametrize(("shift", "found"), [(0, 1), (1, 1), (2, 1), (3, 0), (8, 0)])
def test_boundaries_may_be_off_by_the_tolerance(shift, found):
    truth = np.zeros((60, 80), dtype=int)  # the diagonal is 100
    truth[:, 40:] = 1
    labels = np.zeros_like(truth)
    labels[:, 40 + shift :] = 1
    scores = evaluate(labels, truth, boundary_tolerance=0.02)
    assert (scores.boundary_precision, scores.boundary_recall) == (found, found)


def test_each_boundary_pixel_matches_once():
    # Two boundaries beside one true one: only one of them can be right.
    truth = (np.arange(30) >= 15) * np.ones((30, 1), dtype=int)
    labels = (np.arange(30) >= 14).astype(int) + (np.arange(30) >= 16) + np.zeros((30, 1), int)
    scores = evaluate(labels, truth, boundary_tolerance=0.1)
    assert scores.boundary_precision == pytest.approx(0.5)
    assert scores.boundary_recall == 1


@given(arrays.arrays(np.bool_, (5, 6)), arrays.arrays(np.bool_, (5, 6)))
def test_matching_is_largest_and_within_the_distance(one, other):
    networkx = pytest.importorskip("networkx")
    here, there = match_boundaries(one, other, 1.5)
    assert len(set(here.tolist())) == len(here) == len(set(there.tolist())) == len(there)
    apart = np.array(np.unravel_index(here, one.shape)) - np.unravel_index(there, one.shape)
    assert one.ravel()[here].all()
    assert other.ravel()[there].all()
    assert (np.hypot(*apart) <= 1.5).all()
    graph = networkx.Graph()
    for a in np.argwhere(one):
        for b in np.argwhere(other):
            if np.hypot(*(a - b)) <= 1.5:
                graph.add_edge(("one", *a), ("other", *b))
    assert len(here) == len(networkx.max_weight_matching(graph, maxcardinality=True))


def test_several_truths_by_the_berkeley_rule():
    one, other = stripes(20), stripes(10)
    scores = evaluate(stripes(10), [one, other])
    assert scores.num_truths == 2
    assert scores.boundary_precision == 1  # one of them has each boundary
    assert scores.boundary_recall == 1
    single = [evaluate(stripes(10), truth) for truth in (one, other)]
    assert scores.vi_split == pytest.approx(np.mean([s.vi_split for s in single]))
    merged = evaluate(stripes(20), [one, other])
    assert merged.boundary_recall == pytest.approx((1 + 1) / (1 + 3))  # pixels of both together


def test_ignored_pixels_do_not_count():
    truth = stripes(20)
    truth[:10] = -1
    labels = stripes(20)
    labels[:10] = np.random.default_rng(0).integers(0, 9, (10, 40))
    assert evaluate(labels, truth).adapted_rand_error > 0.1
    scores = evaluate(labels, truth, ignore=-1)
    assert (scores.adapted_rand_error, scores.variation_of_information) == (0, 0)
    # Thinning may move the last pixel of a line that ends in the ignored part.
    assert scores.boundary_recall == 1
    assert scores.boundary_precision == pytest.approx(1, abs=0.05)


def test_volumes_have_no_boundary_scores():
    truth = np.arange(27).reshape(3, 3, 3) // 9
    scores = evaluate(truth, truth)
    assert scores.boundary_f is scores.boundary_precision is None
    assert "boundary" not in scores.summary()


def test_single_pixels_are_no_division_by_zero():
    scores = evaluate(np.arange(6).reshape(2, 3), np.arange(6).reshape(2, 3))
    assert (scores.adapted_rand_error, scores.rand_precision, scores.rand_recall) == (0, 1, 1)


def test_summary_and_dictionary_tell_all():
    scores = mc.vision.evaluate(stripes(10), [stripes(20), stripes(10)])
    document = scores.to_dict()
    assert document["boundary_f"] == scores.boundary_f
    assert document["variation_of_information"] == scores.variation_of_information
    for words in ("bits", "adapted Rand error", "boundary F", "2 segmentations"):
        assert words in scores.summary()


@pytest.mark.parametrize(
    ("labels", "truth", "options", "error", "message"),
    [
        (np.zeros((2, 2)), np.zeros((2, 2), int), {}, TypeError, "labels must be integers"),
        (np.zeros((2, 2), int), np.zeros((2, 2)), {}, TypeError, "truth must be integers"),
        (np.zeros((2, 2), int), np.zeros((2, 3), int), {}, ValueError, r"\(2, 2\), got \(2, 3\)"),
        (np.zeros((2, 2), int), [], {}, ValueError, "at least one segmentation"),
        (np.zeros((0, 2), int), np.zeros((0, 2), int), {}, ValueError, "must not be empty"),
        (np.zeros((2, 2), int), np.zeros((2, 2), int), {"ignore": 0}, ValueError, "no pixel"),
        (
            np.zeros((2, 2), int),
            np.zeros((2, 2), int),
            {"boundary_tolerance": 2},
            ValueError,
            "boundary_tolerance must be",
        ),
    ],
)
def test_wrong_input_is_named(labels, truth, options, error, message):
    with pytest.raises(error, match=message):
        evaluate(labels, truth, **options)


def test_boundaries_are_those_of_the_berkeley_files(shared_data):
    from scipy.io import loadmat

    path = sorted((shared_data / "bsds").glob("*_gt.mat"))[0]
    content = loadmat(path)["groundTruth"].ravel()
    for labels, one in zip(read_ground_truth(path), content, strict=True):
        assert np.array_equal(boundary_map(labels), one["Boundaries"][0, 0] > 0)


def test_people_agree_with_each_other_better_than_with_a_grid(shared_data):
    people = read_ground_truth(sorted((shared_data / "bsds").glob("*_gt.mat"))[0])
    rows, columns = np.indices(people[0].shape)
    grid = rows // 20 * 100 + columns // 20
    human = evaluate(people[0], people[1:])
    squares = evaluate(grid, people[1:])
    assert human.boundary_f > squares.boundary_f + 0.1
    assert human.variation_of_information < squares.variation_of_information - 0.5


def test_labels_of_64_bits_are_compared_like_any_others():
    """Label volumes of neurons hold ids of uint64, and 2^64 - 1 often stands for no neuron."""
    largest = 2**64 - 1
    truth = np.array([[0, 0, 1, 1], [0, 0, 1, 1]], dtype=np.uint64) + np.uint64(2**63)
    labels = np.array([[0, 0, 1, 1], [0, 0, 0, 0]])
    expected = evaluate(labels, (truth - np.uint64(2**63)).astype(np.int64))
    assert evaluate(labels, truth) == expected
    assert evaluate(labels.astype(np.uint64) + np.uint64(2**63), truth) == expected
    truth[1] = largest
    for ignore in (largest, [largest], [largest, -1]):
        assert evaluate(labels, truth, ignore=ignore).variation_of_information == 0
    assert evaluate(labels, truth, ignore=-1).variation_of_information > 0
