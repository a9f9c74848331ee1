"""Pictures are arrays whose pixels can be told in advance."""

from __future__ import annotations

import numpy as np
import pytest

from multicut import vision

IMAGE = np.array([[[10, 20, 30], [30, 40, 50], [200, 0, 0]]] * 4, dtype=np.uint8)
LABELS = np.array([[0, 0, 1]] * 4)


def test_mean_colours():
    painted = vision.mean_colours(IMAGE, LABELS)
    assert painted.dtype == np.uint8
    np.testing.assert_array_equal(painted[0], [[20, 30, 40], [20, 30, 40], [200, 0, 0]])
    outside = vision.mean_colours(IMAGE, np.where(LABELS == 1, -1, 0))
    np.testing.assert_array_equal(outside[0, 2], [255, 255, 255])


def test_overlay_marks_both_sides_of_a_boundary_and_leaves_the_image_alone():
    image = np.zeros((4, 6), dtype=np.uint8)
    labels = np.repeat([[0, 0, 0, 1, 1, 1]], 4, axis=0)
    drawn = vision.boundary_overlay(image, labels, colour=(1, 2, 3))
    assert drawn.shape == (4, 6, 3)
    np.testing.assert_array_equal(drawn[:, 2:4], np.broadcast_to([1, 2, 3], (4, 2, 3)))
    assert not drawn[:, [0, 1, 4, 5]].any()
    assert not image.any()


def test_the_graph_has_a_line_between_the_centres_of_regions():
    superpixels = np.repeat([[0] * 100 + [1] * 100], 100, axis=0)
    white = np.ones((100, 200))
    parts = vision.region_problem(white, superpixels)
    joined = vision.graph_picture(parts, [0, 0])
    cut = vision.graph_picture(parts, [0, 1])
    middle = (joined.shape[0] // 2, joined.shape[1] // 2)
    near = (slice(middle[0] - 4, middle[0] + 5), middle[1])
    assert (joined[near] < 60).all(axis=1).any()  # black
    assert not (cut[near] < 60).all(axis=1).any()
    red = cut[near].astype(int)
    assert (red[:, 0] - red[:, 1] > 100).any()


def test_pictures_stand_beside_each_other():
    a = np.zeros((3, 4, 3), dtype=np.uint8)
    assert vision.side_by_side([a, a, a], gap=2).shape == (3, 16, 3)
    with pytest.raises(ValueError, match="equal height"):
        vision.side_by_side([a, a[:2]])


def test_titles_stand_above_pictures():
    left = np.zeros((20, 90, 3), dtype=np.uint8)
    right = np.full((20, 60, 3), 9, dtype=np.uint8)
    whole = vision.side_by_side([left, right], titles=["gaec", "a title that is far too long"])
    assert whole.shape == (50, 158, 3)
    np.testing.assert_array_equal(whole[30:], vision.side_by_side([left, right]))
    for columns in (slice(0, 90), slice(98, 158)):
        strip = whole[:30, columns]
        assert strip.min() < 100  # letters
        assert (strip[:, :1] == 255).mean() > 0.9
    with pytest.raises(ValueError, match="titles must be 2, one per picture, got 1"):
        vision.side_by_side([left, right], titles=["one"])


def test_every_label_has_its_colour():
    labels = np.array([[-1, 5], [5, 7000]])
    colours = vision.label_colours(labels)
    assert (colours.shape, colours.dtype) == ((2, 2, 3), np.uint8)
    assert colours[0, 0].tolist() == [0, 0, 0]
    assert colours[0, 1].tolist() == colours[1, 0].tolist() != colours[1, 1].tolist()
    with pytest.raises(TypeError, match="labels must be integers, got float64"):
        vision.label_colours(labels / 2)


def test_slices_of_volumes_are_asked_for():
    with pytest.raises(ValueError, match="take one slice of a volume"):
        vision.mean_colours(np.zeros((3, 4, 5)), np.zeros((3, 4, 5), int))
    with pytest.raises(ValueError, match="labels must have the image's shape"):
        vision.mean_colours(np.zeros((3, 4)), np.zeros((4, 4), int))


def test_samples_are_as_large_as_they_are_said_to_be():
    for sample in vision.list_samples():
        height, width = vision.sample_image(sample.name).shape[:2]
        assert sample.description.endswith(f", {width} × {height}")
