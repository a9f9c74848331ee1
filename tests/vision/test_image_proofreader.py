"""Segmentations that follow corrections, and their layers."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc

pytest.importorskip("skimage")

IMAGE = np.repeat(np.array([40, 130, 220], np.uint8), 20)[None].repeat(30, axis=0)
REGIONS = (np.arange(30) // 10)[:, None] * 6 + (np.arange(60) // 10)[None]


@pytest.fixture
def proof():
    return mc.vision.ImageProofreader(mc.vision.segment(IMAGE, REGIONS))


def test_corrections_are_about_regions(proof):
    assert proof.region_at((0, 0)) == 0
    assert proof.region_at((29, 59)) == 17
    assert np.array_equal(proof.segmentation.labels, IMAGE // 90)
    proof.separate(proof.region_at((0, 0)), proof.region_at((29, 0)))
    labels = proof.segmentation.labels
    assert labels[0, 0] != labels[29, 0]
    assert len(np.unique(proof.pixel_labels)) == proof.num_clusters == labels.max() + 1


def test_a_region_problem_is_solved_first():
    parts = mc.vision.region_problem(IMAGE, REGIONS)
    assert mc.vision.ImageProofreader(parts, "ilp").num_clusters == 3


def test_the_mask_stays():
    mask = np.ones(IMAGE.shape, bool)
    mask[:, :20] = False
    proof = mc.vision.ImageProofreader(mc.vision.segment(IMAGE, REGIONS, mask=mask))
    assert (proof.pixel_labels[~mask] == -1).all()
    with pytest.raises(ValueError, match="outside of the mask"):
        proof.region_at((0, 0))
    regions, *_, segments = (layer[0] for layer in mc.vision.to_napari(proof)[1:])
    assert (regions[~mask] == 0).all()
    assert (segments[~mask] == 0).all()


def test_histories_are_saved_and_loaded(proof, tmp_path):
    proof.join(0, 17)
    proof.save(tmp_path / "corrections.jsonl")
    again = mc.vision.ImageProofreader.load(tmp_path / "corrections.jsonl", proof.parts)
    assert np.array_equal(again.segmentation.labels, proof.segmentation.labels)
    with pytest.raises(TypeError, match="takes a Problem"):
        mc.vision.ImageProofreader.load(tmp_path / "corrections.jsonl", proof.problem)


def test_other_arguments_are_refused(proof):
    with pytest.raises(TypeError, match="segmentation or a region problem, got Problem"):
        mc.vision.ImageProofreader(proof.problem)
    with pytest.raises(TypeError, match="ImageProofreader, which knows the image, got Proofreader"):
        mc.vision.to_napari(mc.Proofreader(proof.problem))
    for position, line in (((0,), "2 numbers"), ((30, 0), "shape"), ((-1, 0), "shape")):
        with pytest.raises(ValueError, match=line):
            proof.region_at(position)


@pytest.mark.parametrize("depth", [None, 4])
@pytest.mark.parametrize("is_colour", [False, True])
def test_layers_of_images_and_volumes(depth, is_colour):
    image, regions = IMAGE, REGIONS
    if depth is not None:
        image, regions = (np.repeat(each[None], depth, axis=0) for each in (image, regions))
    shape = regions.shape
    if is_colour:
        image = np.repeat(image[..., None], 3, axis=-1)
    proof = mc.vision.ImageProofreader(mc.vision.segment(image, regions, volume=depth is not None))
    layers = {
        options["name"]: (data, options, kind) for data, options, kind in mc.vision.to_napari(proof)
    }
    assert list(layers) == ["image", "regions", "uncertainty", "segments"]
    assert [kind for *_, kind in layers.values()] == ["image", "labels", "image", "labels"]
    assert layers["image"][1]["rgb"] is is_colour
    assert np.array_equal(layers["regions"][0], regions + 1)
    assert np.array_equal(layers["segments"][0], proof.pixel_labels + 1)
    assert layers["segments"][1]["metadata"]["proof"] is proof
    doubts = layers["uncertainty"][0]
    assert doubts.shape == shape
    assert doubts[..., 5, 5].max() == 0.0  # inside of a region there is no border
    assert 0 <= doubts.min() <= doubts.max() <= 1
    assert len(mc.vision.to_napari(proof, uncertainty=False)) == 3


def test_uncertain_borders_are_where_the_margin_is_small(proof):
    confidence = mc.edge_margins(proof.problem, proof.result).confidence
    edge = int(confidence.argmin())
    u, v = proof.problem.edges[edge]
    doubts = mc.vision.to_napari(proof)[2][0]
    near = np.isin(REGIONS, [u, v])
    assert doubts[near].max() == pytest.approx(1 - confidence[edge])
    assert doubts.max() == pytest.approx(1 - confidence[edge])
