"""From images to segments: answers that can be told in advance."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multicut as mc
from multicut import vision
from multicut.vision.image import as_picture


def squares(colours=((1.0, 0.1, 0.1), (0.1, 0.2, 1.0)), side=24):
    """Two squares beside each other, each of one colour."""
    return np.concatenate([np.full((side, side, 3), colour) for colour in colours], axis=1)


TRUTH = np.repeat([[0, 1]], 24, axis=1).repeat(24, axis=0)


@pytest.mark.parametrize("superpixels", ["watershed", "slic", "felzenszwalb", "boundary-watershed"])
def test_two_squares_are_two_segments_whatever_the_superpixels(superpixels):
    segmentation = vision.segment(squares(), superpixels)
    np.testing.assert_array_equal(segmentation.labels, TRUTH)
    assert segmentation.num_segments == 2
    assert segmentation.labels.dtype == np.int64


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_the_type_of_numbers_and_an_alpha_channel_change_nothing(dtype):
    largest = 1 if dtype == np.float32 else np.iinfo(dtype).max
    image = np.concatenate([squares(((1, 0, 0), (0, 0, 1))), np.ones((24, 48, 1))], axis=2)
    segmentation = vision.segment((image * largest).astype(dtype))
    np.testing.assert_array_equal(segmentation.labels, TRUTH)


def test_grey_is_a_colour_with_three_equal_parts():
    grey = np.random.default_rng(0).random((40, 50)).astype(np.float32)
    superpixels = np.arange(2000).reshape(40, 50) // 37
    one = mc.Problem.from_image(grey, superpixels)
    three = mc.Problem.from_image(np.stack([grey] * 3, axis=2), superpixels)
    np.testing.assert_allclose(one.costs, three.costs, atol=1e-5)


def test_the_paper_gets_54_regions_from_50_markers():
    image = np.random.default_rng(0).random((321, 481, 3))
    parts = vision.region_problem(image, preset="paper")
    assert parts.graph.num_regions == 54


@pytest.mark.parametrize(("preset", "power"), [("paper", 1), ("paper-squared", 2)])
def test_costs_of_the_paper_are_the_logit_of_a_kernel_of_mean_colours(preset, power):
    image = np.random.default_rng(0).random((60, 80, 3))
    parts = vision.region_problem(image, preset=preset)
    means = np.array(
        [image[parts.superpixels == i].mean(axis=0) for i in range(parts.graph.num_regions)]
    )
    u, v = parts.problem.edges.T
    distances = np.linalg.norm(means[u] - means[v], axis=1)
    similarity = np.exp(-(distances**power) / 0.1).clip(0.01, 0.99)
    np.testing.assert_allclose(
        parts.problem.costs, np.log(similarity / (1 - similarity)), atol=1e-4
    )


def test_the_graph_of_the_paper_is_that_of_scikit_image():
    from skimage.graph import rag_mean_color

    image = np.random.default_rng(1).random((50, 70, 3))
    parts = vision.region_problem(image, preset="paper")
    expected = rag_mean_color(image, parts.superpixels)
    assert {tuple(edge) for edge in parts.graph.edges.tolist()} == {
        (min(edge), max(edge)) for edge in expected.edges()
    }


def test_nodes_are_regions_and_labels_those_of_the_result():
    segmentation = vision.segment(squares(), vision.Slic(num_regions=20))
    regions = segmentation.superpixels
    assert set(np.unique(regions)) == set(range(segmentation.problem.num_nodes))
    np.testing.assert_array_equal(segmentation.labels, segmentation.result.labels[regions])
    np.testing.assert_array_equal(segmentation.graph.edges, segmentation.problem.edges)
    assert segmentation.image.shape == (24, 48, 3)


def test_another_result_gives_another_segmentation_of_the_same_regions():
    first = vision.segment(squares())
    everything = mc.solve(mc.Problem(first.problem.edges, np.ones(first.problem.num_edges)))
    second = first.relabelled(everything)
    assert second.num_segments == 1
    assert second.superpixels is first.superpixels
    assert first.num_segments == 2
    assert np.all(second.labels == 0)
    with pytest.raises(ValueError, match="result must have 1,152 labels, one per region, got 2"):
        first.relabelled(mc.solve(mc.Problem([[0, 1]], [1.0])))


def test_bias_is_a_prior_for_cuts():
    image = np.random.default_rng(0).random((8, 8, 3)) * 0.15
    each_pixel = np.arange(64).reshape(8, 8)
    numbers = [
        vision.segment(image, each_pixel, bias=bias).num_segments for bias in (0.01, 0.5, 0.99)
    ]
    assert numbers[0] < numbers[1] < numbers[2]


def test_boundaries_decide_where_they_are_given():
    boundaries = np.zeros((30, 40))
    boundaries[:, 18:20] = 0.9
    image = np.random.default_rng(0).random((30, 40, 3))
    segmentation = vision.segment(image, boundaries=boundaries)
    assert segmentation.num_segments == 2
    assert len(np.unique(segmentation.labels[:, :18])) == 1
    assert len(np.unique(segmentation.labels[:, 20:])) == 1
    as_bytes = np.rint(boundaries * 255).astype(np.uint8)
    again = vision.segment(image, boundaries=as_bytes)
    np.testing.assert_array_equal(again.labels, segmentation.labels)


@pytest.mark.parametrize("per_slice", [False, True])
def test_volumes(per_slice):
    boundaries = np.zeros((6, 20, 24), dtype=np.float32)
    boundaries[:, :, 11:13] = 0.95
    superpixels = vision.BoundaryWatershed(per_slice=per_slice)
    segmentation = vision.segment(boundaries, superpixels, boundaries=boundaries)
    assert segmentation.labels.shape == (6, 20, 24)
    assert segmentation.num_segments == 2
    if per_slice:
        of_slices = [set(np.unique(part)) for part in segmentation.superpixels]
        assert not of_slices[0] & of_slices[1]


def test_affinities_link_across_gaps():
    # Two halves on a strip of single pixels; a long-range channel pulls the ends together.
    superpixels = np.array([[0, 0, 1, 1, 2, 2]])
    affinities = np.full((2, 1, 6), 0.1)
    affinities[1] = 0.99
    offsets = [[0, 1], [0, 4]]
    weigh = vision.BoundaryCosts(weighting="none")
    parts = vision.region_problem(
        np.zeros((1, 6)), superpixels, affinities=affinities, offsets=offsets, costs=weigh
    )
    assert parts.problem.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert parts.graph.adjacent.tolist() == [True, False, True]
    np.testing.assert_allclose(
        parts.problem.costs, [np.log(0.1 / 0.9), np.log(0.99 / 0.01), np.log(0.1 / 0.9)]
    )
    assert vision.solve_regions(parts).result.labels.tolist() == [0, 1, 0]


def test_affinities_make_superpixels_of_their_own():
    affinities = np.ones((2, 20, 30), dtype=np.float32)
    affinities[1, :, 14] = 0
    affinities[:, :, 13:16] *= 0.05
    segmentation = vision.segment(
        np.zeros((20, 30)), affinities=affinities, offsets=[[1, 0], [0, 1]]
    )
    assert segmentation.num_segments == 2


def test_outside_of_the_mask_there_are_no_segments():
    mask = np.zeros((24, 48), dtype=bool)
    mask[4:20, 4:44] = True
    segmentation = vision.segment(squares(), mask=mask)
    np.testing.assert_array_equal(segmentation.labels, np.where(mask, TRUTH, -1))
    np.testing.assert_array_equal(segmentation.superpixels < 0, ~mask)
    assert segmentation.graph.counts.sum() == mask.sum()


def test_an_edge_counts_by_its_size_if_asked_to():
    superpixels = np.array([[0, 0, 0, 1], [2, 2, 2, 1]])
    boundaries = np.full((2, 4), 0.2)
    weigh = vision.BoundaryCosts(weighting="size")
    parts = vision.region_problem(boundaries, superpixels, boundaries=boundaries, costs=weigh)
    # Contacts of 1, 3 and 1 pairs; their mean counts as 1.
    np.testing.assert_allclose(parts.problem.costs, np.log(0.8 / 0.2) * np.array([1, 3, 1]) * 3 / 5)


@pytest.mark.parametrize("statistic", ["mean", "median", "quantile", "maximum"])
def test_statistics_of_a_constant_are_that_constant(statistic):
    boundaries = np.full((2, 4), 0.25)
    weigh = vision.BoundaryCosts(statistic=statistic)
    parts = vision.region_problem(
        boundaries, [[0, 0, 1, 1]] * 2, boundaries=boundaries, costs=weigh
    )
    np.testing.assert_allclose(parts.problem.costs, [np.log(3)])


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_log_odds(p, bias):
    cost = vision.log_odds(np.array([p]), bias)[0]
    assert cost == pytest.approx(np.log((1 - p) * (1 - bias) / (p * bias)), abs=1e-9)


def test_log_odds_of_certainties_are_finite():
    costs = vision.log_odds(np.array([0.0, 1.0]), clip=0.001)
    np.testing.assert_allclose(costs, [np.log(999), -np.log(999)])


def test_shapes_tell_images_from_volumes():
    assert as_picture(np.zeros((5, 6))).shape == (5, 6)
    assert as_picture(np.zeros((5, 6, 3))).shape == (5, 6)
    assert as_picture(np.zeros((5, 6, 3)), volume=True).shape == (5, 6, 3)
    assert as_picture(np.zeros((5, 6, 7))).shape == (5, 6, 7)
    assert as_picture(np.zeros((5, 6, 7, 3))).shape == (5, 6, 7)


def test_transparent_pixels_are_white():
    image = np.zeros((2, 2, 4), dtype=np.uint8)
    np.testing.assert_array_equal(as_picture(image).values, np.ones((2, 2, 3)))


def test_records_are_checked_and_listed():
    assert [record.name for record in vision.list_superpixels()] == [
        "watershed",
        "slic",
        "felzenszwalb",
        "boundary-watershed",
    ]
    for kind in vision.list_superpixels():
        assert set(kind.option_meanings()) == set(kind.option_defaults())
    with pytest.raises(ValueError, match=r"num_regions must be at least 1 .* got 0"):
        vision.Watershed(num_regions=0)
    with pytest.raises(TypeError, match="per_slice must be True or False, got 1"):
        vision.BoundaryWatershed(per_slice=1)
    assert vision.Slic(num_regions=5) == vision.Slic(num_regions=5)


@pytest.mark.parametrize(
    ("image", "arguments", "message"),
    [
        (np.zeros(4), {}, r"image must have shape .* got \(4,\)"),
        (np.zeros((4, 4, 5)), {"volume": False}, "since volume=False"),
        (np.zeros((0, 4)), {}, "image must have pixels"),
        (np.full((4, 4), np.nan), {}, "image must be finite"),
        (np.zeros((4, 4), complex), {}, "image must contain real numbers"),
        (np.zeros((4, 4)), {"superpixels": "slick"}, "did you mean 'slic'"),
        (np.zeros((4, 4)), {"superpixels": np.zeros((4, 4))}, "array of integer labels"),
        (np.zeros((4, 4)), {"superpixels": np.zeros((4, 5), int)}, "must have the image's shape"),
        (np.zeros((4, 4)), {"boundaries": np.zeros((5, 4))}, "must have the image's shape"),
        (np.zeros((4, 4)), {"mask": np.zeros((5, 4))}, "mask must have the image's shape"),
        (np.zeros((4, 4)), {"bias": 0}, "bias must be between 0 and 1"),
        (np.zeros((4, 4)), {"costs": "boundary"}, "costs 'boundary' need evidence"),
        (np.zeros((4, 4)), {"preset": "papers"}, "did you mean 'paper'"),
        (np.zeros((4, 4, 9)), {"superpixels": "felzenszwalb"}, "are for images, got a volume"),
        (np.zeros((4, 4)), {"solver": "gaex"}, "did you mean 'gaec'"),
        (np.zeros((4, 4)), {"superpixels": np.full((4, 4), -7)}, "-1 for pixels to leave out, got"),
        (
            np.zeros((4, 4)),
            {"affinities": np.zeros((2, 4, 4)), "offsets": [[0, 1], [1]]},
            r"offsets must be integers of shape \(2, 2\), got rows of different lengths",
        ),
        (
            np.zeros((4, 4)),
            {"affinities": np.zeros((1, 4, 4)), "offsets": [[0, 1]], "connectivity": 2},
            "connectivity has no effect on affinities",
        ),
    ],
)
def test_mistakes_are_named(image, arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        vision.segment(image, **arguments)


def test_small_regions_are_flooded_by_their_neighbours():
    random = np.random.default_rng(0)
    boundaries = random.random((40, 50)).astype(np.float32)
    regions = vision.BoundaryWatershed(smoothing=0, min_size=30).divide(
        as_picture(boundaries), boundaries
    )
    sizes = np.bincount(regions.ravel())
    assert sizes.min() >= 30
    assert len(sizes) > 5
    finer = vision.BoundaryWatershed(smoothing=0, min_size=0).divide(
        as_picture(boundaries), boundaries
    )
    # Regions that were large enough have only grown.
    for region in np.flatnonzero(np.bincount(finer.ravel()) >= 30):
        assert len(np.unique(regions[finer == region])) == 1


@pytest.mark.parametrize("dtype", [">f4", ">f8", ">u2", "f2"])
def test_boundaries_of_any_layout_in_memory_are_the_same_evidence(dtype):
    boundaries = np.zeros((24, 48), dtype=np.float32)
    boundaries[:, 23:25] = 1
    largest = 65535 if dtype == ">u2" else 1
    found = vision.segment(squares(), boundaries=(boundaries * largest).astype(dtype))
    expected = vision.segment(squares(), boundaries=boundaries)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.num_segments == 2


@pytest.mark.parametrize("value", [200.0, -3.0, np.nan])
@pytest.mark.parametrize("kind", ["boundaries", "affinities"])
def test_evidence_out_of_range_is_refused_even_where_it_makes_one_region(kind, value):
    """Above the threshold everywhere, there is one region and no contact to look at."""
    evidence = np.full((20, 20), value)
    arguments = (
        {"boundaries": evidence}
        if kind == "boundaries"
        else {"affinities": evidence[np.newaxis], "offsets": [[0, 1]]}
    )
    with pytest.raises(ValueError, match=f"{kind} must lie between 0 and 1, got {value:g}"):
        vision.segment(np.zeros((20, 20)), **arguments)


def test_superpixels_with_labels_of_64_bits_can_be_masked():
    largest = 2**64 - 1
    superpixels = np.full((24, 48), largest, dtype=np.uint64)
    superpixels[:, 24:] = largest - 5
    mask = np.ones((24, 48), dtype=bool)
    mask[:4] = False
    segmentation = vision.segment(squares(), superpixels, mask=mask)
    assert segmentation.graph.region_ids.tolist() == [largest - 5, largest]
    assert segmentation.graph.counts.tolist() == [20 * 24, 20 * 24]
    assert (segmentation.labels[:4] == -1).all()
    assert segmentation.num_segments == 2


@pytest.mark.parametrize(
    ("shape", "superpixels", "message"),
    [
        ((9, 8), (5, 9, 8), r"superpixels must have the image's shape \(9, 8\), got \(5, 9, 8\)"),
        ((5, 9, 8), (9, 8), r"superpixels must have the image's shape \(5, 9, 8\), got \(9, 8\)"),
    ],
)
def test_what_does_not_fit_the_image_is_named_not_the_image(shape, superpixels, message):
    with pytest.raises(ValueError, match=message):
        vision.segment(np.zeros(shape), np.zeros(superpixels, dtype=int))
