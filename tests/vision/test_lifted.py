from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import multicut as mc
from tests.problems import random_problem
from tests.vision.affinities import OFFSETS, random_affinities


@pytest.mark.parametrize("distance", [2, 3, 5])
@pytest.mark.parametrize("seed", range(5))
def test_a_neighbourhood_holds_the_pairs_at_that_distance(distance, seed):
    problem = random_problem(25, 0.1, seed)
    graph = nx.Graph(problem.edges.tolist())
    graph.add_nodes_from(range(25))
    expected = [
        (u, v)
        for u, lengths in nx.all_pairs_shortest_path_length(graph)
        for v, length in lengths.items()
        if u < v and 2 <= length <= distance
    ]
    found = mc.vision.lifted_neighbourhood(problem, distance)
    assert [tuple(pair) for pair in found.tolist()] == sorted(expected)
    assert np.array_equal(found, mc.vision.lifted_neighbourhood(problem.edges, distance))


def test_a_neighbourhood_needs_a_distance_of_two():
    with pytest.raises(ValueError, match="distance must be at least 2"):
        mc.vision.lifted_neighbourhood([[0, 1]], 1)
    assert mc.vision.lifted_neighbourhood(np.zeros((0, 2), dtype=int), 2).shape == (0, 2)


def path(num_nodes: int) -> mc.Problem:
    nodes = np.arange(num_nodes)
    return mc.Problem(np.stack([nodes[:-1], nodes[1:]], axis=1), np.full(num_nodes - 1, 0.5))


def test_nodes_of_different_classes_repel():
    lifted = mc.vision.lift_by_classes(path(5), [0, 0, 1, -1, 1], distance=2, different=-2.0)
    assert lifted.lifted_edges.tolist() == [[0, 2]]  # 1 and 3, 2 and 4 say nothing
    assert lifted.lifted_costs.tolist() == [-2.0]
    attracted = mc.vision.lift_by_classes(lifted, [0, 0, 1, -1, 1], distance=2, same=3.0)
    assert attracted.lifted_edges.tolist() == [[0, 2], [2, 4]]
    assert attracted.lifted_costs.tolist() == [-3.0, 3.0]


def test_probabilities_of_classes_become_log_odds():
    probabilities = np.array([[1.0, 0.0], [0.5, 0.5], [0.1, 0.9], [0.9, 0.1]])
    lifted = mc.vision.lift_by_classes(path(4), probabilities, distance=2)
    # 0 and 2 are the same with probability 0.1; of 1 and 3 nobody knows.
    assert lifted.lifted_edges.tolist() == [[0, 2]]
    assert lifted.lifted_costs == pytest.approx([np.log(0.1 / 0.9)])


@pytest.mark.parametrize(
    ("classes", "error", "message"),
    [
        ([0, 1], ValueError, r"classes must have shape \(4,\) or \(4, K\)"),
        ([0.5, 0.5, 0.5, 0.5], TypeError, "classes must be integers, or probabilities"),
        (np.full((4, 2), 2.0), ValueError, "between 0 and 1"),
    ],
)
def test_bad_classes_give_one_clear_line(classes, error, message):
    with pytest.raises(error, match=message):
        mc.vision.lift_by_classes(path(4), classes)


@pytest.mark.parametrize("shape", [(5, 6), (3, 4, 5)])
@pytest.mark.parametrize("masked", [False, True])
def test_long_range_affinities_become_lifted_edges(shape, masked):
    affinities = random_affinities(shape, seed=2)
    offsets, strides = OFFSETS[len(shape)], (1, 2, 2)[: len(shape)]
    mask = np.random.default_rng(0).random(shape) < 0.8 if masked else None
    parts = mc.vision.affinity_problem(affinities, offsets, strides, bias=0.4, mask=mask)
    inside = np.ones(shape, dtype=bool) if mask is None else mask
    assert parts.nodes[inside].tolist() == list(range(inside.sum()))
    assert (parts.nodes[~inside] == -1).all()
    expected: list[dict[tuple[int, int], float]] = [{}, {}]
    for channel, offset in enumerate(offsets):
        is_far = sum(map(abs, offset)) > 1
        for pixel in np.ndindex(*shape):
            other = tuple(np.add(pixel, offset))
            if not all(0 <= o < s for o, s in zip(other, shape, strict=True)):
                continue
            if is_far and any(p % s for p, s in zip(pixel, strides, strict=True)):
                continue
            if not (inside[pixel] and inside[other]):
                continue
            p = np.clip(1 - float(affinities[channel][pixel]), 0.001, 0.999)
            pair = tuple(sorted((parts.nodes[pixel], parts.nodes[other])))
            expected[is_far][pair] = np.log((1 - p) / p) + np.log(0.6 / 0.4)
    problem = parts.problem
    for edges, costs, wanted in (
        (problem.edges, problem.costs, expected[0]),
        (problem.lifted_edges, problem.lifted_costs, expected[1]),
    ):
        found = {tuple(sorted(e)): c for e, c in zip(edges.tolist(), costs, strict=True)}
        assert found == pytest.approx(wanted)
    segments = parts.segments(mc.solve(problem, "mutex-watershed"))
    assert (segments[~inside] == -1).all()
    assert segments.max() + 1 == len(np.unique(segments[inside]))


def test_bytes_are_shares_of_255():
    affinities = random_affinities((4, 4), seed=0)
    as_bytes = np.round(255 * affinities).astype(np.uint8)
    one = mc.vision.affinity_problem(as_bytes, OFFSETS[2]).problem
    other = mc.vision.affinity_problem(as_bytes / 255, OFFSETS[2]).problem
    assert one.costs == pytest.approx(other.costs)
    assert one.lifted_costs == pytest.approx(other.lifted_costs)


def test_regions_are_linked_by_long_range_affinities():
    regions = np.repeat(np.arange(4), 3)[np.newaxis].repeat(4, axis=0)  # four stripes
    offsets = [(-1, 0), (0, -1), (0, -5)]
    affinities = random_affinities((4, 12), seed=0)[:3]
    parts = mc.vision.region_problem(
        regions, regions, affinities=affinities, offsets=offsets, lifted=True
    )
    problem = parts.problem
    assert problem.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert parts.lifted_graph.edges.tolist() == problem.lifted_edges.tolist()
    # Five pixels lead to the next stripe but one, and some to the next.
    assert problem.lifted_edges.tolist() == [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3]]
    plain = mc.vision.region_problem(
        regions, regions, affinities=affinities[:2], offsets=offsets[:2]
    )
    assert np.array_equal(plain.problem.costs, problem.costs)
    far = affinities[2][:, 5:]
    pairs = (regions[:, 5:] == 2) & (regions[:, :-5] == 0)
    assert parts.lifted_graph.mean[1] == pytest.approx(1 - far[pairs].mean(), rel=1e-6)
    segmentation = mc.vision.segment(
        regions,
        regions,
        affinities=affinities,
        offsets=offsets,
        lifted=True,
        solver="mutex-watershed",
    )
    assert segmentation.lifted_graph.num_edges == 5
    assert segmentation.labels.shape == (4, 12)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        ([(-1, 0), (0, -1)], "needs offsets longer than 1"),
        ([(-3, 0), (0, -3)], "needs offsets of length 1 as well"),
        (None, "lifted=True needs affinities"),
    ],
)
def test_lifted_regions_need_affinities_of_both_ranges(offsets, message):
    regions = np.arange(16).reshape(4, 4)
    affinities = None if offsets is None else np.full((2, 4, 4), 0.5)
    with pytest.raises(ValueError, match=message):
        mc.vision.region_problem(
            regions, regions, affinities=affinities, offsets=offsets, lifted=True
        )
