"""The command ``multicut segment``: files, pictures, tables and mistakes."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut import vision


@pytest.fixture
def image(tmp_path):
    """Two squares of different colour beside each other."""
    array = np.zeros((24, 48, 3), dtype=np.uint8)
    array[:, :24] = (220, 40, 40)
    array[:, 24:] = (30, 60, 230)
    path = tmp_path / "squares.png"
    vision.write_image(path, array)
    return path


@pytest.fixture
def truth():
    return np.repeat([[0] * 24 + [1] * 24], 24, axis=0)


@pytest.fixture
def membrane(tmp_path):
    """A volume with a membrane in the middle, in a dataset of an HDF5 file."""
    boundaries = np.zeros((5, 20, 24), dtype=np.float32)
    boundaries[:, :, 11:13] = 0.95
    path = f"{tmp_path}/volume.h5:membrane"
    vision.write_image(path, boundaries)
    return path


@pytest.mark.parametrize("ending", [".png", ".tif", ".h5", ".npy", ".zarr"])
def test_labels_are_those_of_the_library(multicut, image, truth, tmp_path, ending):
    path = tmp_path / f"labels{ending}"
    outcome = multicut("segment", image, "-o", path)
    assert outcome.code == 0
    np.testing.assert_array_equal(vision.read_image(path), truth)
    assert ["segments", "2"] in [line.split() for line in outcome.stdout.splitlines()]
    assert f"Labels 0 … 1 written to {path}" in outcome.stderr


def test_json_is_all_of_stdout(multicut, image):
    document = multicut("segment", image, "--json", "--solver", "gaec", "--seed", 3).json()
    assert document["shape"] == [24, 48]
    [result] = document["results"]
    assert (result["solver"], result["seed"], result["num_segments"]) == ("gaec", 3, 2)
    expected = vision.segment(vision.read_image(image), solver="gaec")
    assert result["objective"] == pytest.approx(expected.result.objective)
    assert document["num_regions"] == expected.graph.num_regions


def test_solvers_side_by_side(multicut, image, truth, tmp_path):
    overlay, labels = tmp_path / "overlay.png", tmp_path / "labels.npy"
    outcome = multicut(
        "segment", image, "--compare", "gaec,klj,ilp", "--overlay", overlay, "-o", labels
    )
    assert outcome.code == 0
    rows = [line.split() for line in outcome.stdout.splitlines() if line.strip()]
    assert [row[0] for row in rows[2:]] == ["gaec", "klj", "ilp"]
    assert {row[1] for row in rows[2:]} == {"2"}
    # Small images are enlarged, here by 600 // 48, and names stand above them.
    assert vision.read_image(overlay).shape == (28 + 12 * 24, 12 * 3 * 48 + 2 * 8, 3)
    np.testing.assert_array_equal(np.load(labels), truth)


def test_pictures(multicut, image, tmp_path):
    overlay, means, graph = (tmp_path / f"{name}.png" for name in ("overlay", "means", "graph"))
    problem = tmp_path / "problem.npz"
    outcome = multicut(
        "segment",
        image,
        *("--overlay", overlay, "--mean-colours", means, "--graph", graph, "--problem", problem),
        *("--superpixels", "slic", "--num-regions", 20),
    )
    assert outcome.code == 0
    np.testing.assert_array_equal(vision.read_image(means)[::12, ::12], vision.read_image(image))
    assert (vision.read_image(overlay)[100, 12 * 24] == (255, 230, 0)).all()
    assert vision.read_image(graph).shape[0] >= 24
    expected = mc.Problem.from_image(vision.read_image(image), vision.Slic(num_regions=20))
    np.testing.assert_allclose(mc.read(problem).costs, expected.costs)


def test_parameters_reach_the_library(multicut, image):
    arguments = ("--superpixel-option", "compactness=0.5", "--cost-option", "sigma=0.7")
    outcome = multicut("segment", image, "--num-regions", 9, *arguments, "--bias", 0.3, "--json")
    expected = vision.segment(
        vision.read_image(image),
        vision.Watershed(num_regions=9, compactness=0.5),
        costs=vision.ColourCosts(sigma=0.7),
        bias=0.3,
    )
    [result] = outcome.json()["results"]
    assert outcome.json()["num_regions"] == expected.graph.num_regions
    assert result["objective"] == pytest.approx(expected.result.objective)


def test_the_paper(multicut, image):
    document = multicut("segment", image, "--preset", "paper", "--json").json()
    expected = vision.segment(vision.read_image(image), preset="paper")
    assert document["results"][0]["objective"] == pytest.approx(expected.result.objective)


def test_volumes_with_boundaries(multicut, membrane, tmp_path):
    labels, overlay = tmp_path / "labels.h5", tmp_path / "slice.png"
    outcome = multicut(
        "segment", membrane, "--boundaries", membrane, "-o", labels, "--overlay", overlay
    )
    assert outcome.code == 0, outcome.stderr
    found = vision.read_image(labels)
    assert found.shape == (5, 20, 24)
    assert len(np.unique(found)) == 2
    assert vision.read_image(overlay).shape == (25 * 20, 25 * 24, 3)


def test_affinities_superpixels_and_masks_from_files(multicut, tmp_path):
    superpixels = np.array([[0, 0, 1, 1, 2, 2, 3, 3]])
    affinities = np.full((2, 1, 8), 0.1)
    affinities[1] = 0.99
    mask = np.array([[1, 1, 1, 1, 1, 1, 0, 0]])
    for name, array in {"s": superpixels, "a": affinities, "m": mask}.items():
        np.save(tmp_path / f"{name}.npy", array)
    offsets = tmp_path / "offsets.json"
    offsets.write_text("[[0, 1], [0, 4]]")
    for given in (offsets, "[[0, 1], [0, 4]]"):
        outcome = multicut(
            "segment",
            tmp_path / "m.npy",
            *("--superpixels", tmp_path / "s.npy", "--mask", tmp_path / "m.npy"),
            *("--affinities", tmp_path / "a.npy", "--offsets", given),
            *("-o", tmp_path / "labels.npy"),
        )
        assert outcome.code == 0, outcome.stderr
        labels = np.load(tmp_path / "labels.npy")
        assert labels.tolist() == [[0, 0, 1, 1, 0, 0, -1, -1]]


@pytest.mark.parametrize("option", ["--output", "--overlay", "--mean-colours", "--graph"])
def test_what_is_read_is_not_written_over(multicut, image, membrane, option, monkeypatch):
    monkeypatch.chdir(image.parent)
    before = image.read_bytes()
    outcome = multicut("segment", image, option, image.name)
    assert outcome.code == 2
    assert f"{option} {image.name} would overwrite the input" in outcome.stderr
    assert image.read_bytes() == before
    assert multicut("segment", "sample:coins", "--mask", image, option, image).code == 2

    file = membrane.removesuffix(":membrane")
    for name in (file, membrane):  # without a name it might be any dataset
        assert multicut("segment", membrane, "-o", name).code == 2
    outcome = multicut("segment", membrane, "--boundaries", membrane, "-o", f"{file}:segments")
    assert outcome.code == 0
    assert vision.read_image(membrane).dtype == np.float32
    assert len(np.unique(vision.read_image(f"{file}:segments"))) == 2


@pytest.mark.parametrize(
    ("ending", "part", "message"),
    [
        (".png", 24, "Labels 1 … 1, and 0 outside of the mask, written"),
        (".npy", 24, "Labels 0 … 0, and -1 outside of the mask, written"),
        (".png", 0, "No labels but 0, since the mask leaves nothing to segment, written"),
    ],
)
def test_what_stands_for_the_outside_is_said(multicut, image, tmp_path, ending, part, message):
    mask = np.zeros((24, 48), dtype=bool)
    mask[:, :part] = True
    np.save(tmp_path / "mask.npy", mask)
    path = tmp_path / f"labels{ending}"
    outcome = multicut("segment", image, "--mask", tmp_path / "mask.npy", "-o", path)
    assert outcome.code == 0
    assert message in outcome.stderr
    outside = 0 if ending == ".png" else -1
    np.testing.assert_array_equal(vision.read_image(path), np.where(mask, outside + 1, outside))


def test_scores_against_the_truth(multicut, image, truth, tmp_path):
    vision.write_labels(tmp_path / "truth.png", truth)
    vision.write_labels(f"{tmp_path}/truth.h5:some/labels", truth)
    for path in (tmp_path / "truth.png", f"{tmp_path}/truth.h5:some/labels"):
        outcome = multicut("segment", image, "--truth", path)
        assert "variation of information  0.0000" in outcome.stdout
    wrong = np.where(truth == 1, np.arange(48) % 2 + 1, 0)
    vision.write_labels(tmp_path / "wrong.npy", wrong)
    ignoring = ("--ignore", 1, "--ignore", 2)
    outcome = multicut("segment", image, "--truth", tmp_path / "wrong.npy", *ignoring)
    assert "variation of information  0.0000" in outcome.stdout
    document = multicut("segment", image, "--truth", tmp_path / "truth.png", "--json").json()
    assert document["results"][0]["scores"]["boundary_f"] == pytest.approx(1)
    compared = multicut("segment", image, "--truth", path, "--compare", "gaec,klj")
    assert "boundary F" in compared.stdout


def test_many_labels_come_with_a_preview(multicut, tmp_path):
    regions = np.arange(300).reshape(15, 20).repeat(2, axis=0).repeat(2, axis=1)
    np.save(tmp_path / "regions.npy", regions)
    vision.write_image(tmp_path / "image.png", (regions % 256).astype(np.uint8))
    arguments = ("--superpixels", tmp_path / "regions.npy", "--bias", 0.999, "-s", "gaec")
    arguments += ("-o", tmp_path / "labels.png")
    outcome = multicut("segment", tmp_path / "image.png", *arguments)
    assert f"Their colours written to {tmp_path / 'labels-preview.png'}" in outcome.stderr
    labels = vision.read_image(tmp_path / "labels.png")
    assert labels.dtype == np.uint16
    preview = vision.read_image(tmp_path / "labels-preview.png")
    np.testing.assert_array_equal(preview, vision.label_colours(labels))
    # A preview never takes the place of what is read.
    outcome = multicut("segment", tmp_path / "labels-preview.png", *arguments)
    assert outcome.code == 2
    assert "would overwrite the input" in outcome.stderr


def test_few_labels_need_no_preview(multicut, image, tmp_path):
    assert multicut("segment", image, "-o", tmp_path / "labels.png").code == 0
    assert not (tmp_path / "labels-preview.png").exists()


def test_compared_pictures_are_named(multicut, image, tmp_path):
    single, several = tmp_path / "one.png", tmp_path / "two.png"
    multicut("segment", image, "-s", "gaec", "--overlay", single)
    multicut("segment", image, "--compare", "gaec,klj", "--overlay", several)
    alone, panels = vision.read_image(single), vision.read_image(several)
    height, width = alone.shape[:2]
    np.testing.assert_array_equal(panels[-height:, :width], alone)
    above = panels[:-height]
    assert above[:, :width].min() < 100
    assert above[:, -width:].min() < 100


def test_all_values_stand_below_each_other(multicut, image, tmp_path):
    vision.write_labels(tmp_path / "truth.npy", np.zeros((24, 48), dtype=int))
    outcome = multicut("segment", image, "--truth", tmp_path / "truth.npy")
    lines = outcome.stdout.splitlines()
    column = lines[0].index("48 × 24 pixels")
    assert all(line[column - 1] == " " and line[column] != " " for line in lines)
    assert any(line.startswith("variation of information") for line in lines)


def test_samples_need_no_file(multicut):
    outcome = multicut("segment", "sample:coins", "--superpixels", "slic", "--num-regions", 40)
    assert outcome.code == 0
    assert outcome.stderr.startswith("Read sample:coins, uint8.\nDivided 384 × 303 pixels into ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("missing.png",), "missing.png: no such file"),
        (("photo.xyz",), "photo.xyz: unknown kind of file"),
        (("sample:cofee",), "unknown sample 'cofee'; did you mean 'coffee'?"),
        (("IMAGE", "-o", "labels.jpg"), "--output labels.jpg: files of jpeg cannot hold labels"),
        (("IMAGE", "-o", "no/such/folder.png"), "--output no/such/folder.png: there is no folder"),
        (("IMAGE", "--overlay", "a.npy"), "--overlay must end in one of .png"),
        (("IMAGE", "--solver", "gaex"), "unknown solver 'gaex'; did you mean 'gaec'?"),
        (("IMAGE", "--compare", "gaec,foo"), "unknown solver 'foo'"),
        (("IMAGE", "--compare", "gaec", "--solver", "klj"), "give --solver or --compare, not both"),
        (("IMAGE", "--compare", ","), "--compare must name solvers"),
        (("IMAGE", "--superpixels", "slick"), "unknown superpixels 'slick'; did you mean 'slic'?"),
        (
            ("IMAGE", "--superpixels", "felzenszwalb", "--num-regions", "9"),
            "superpixels 'felzenszwalb' have no parameter 'num_regions'; choose from: scale",
        ),
        (("IMAGE", "--superpixel-option", "oops"), "--superpixel-option must look like key=value"),
        (("IMAGE", "--cost-option", "sigmas=1"), "costs 'colour' have no parameter 'sigmas'"),
        (("IMAGE", "--cost-option", "sigma=-1"), "sigma must be finite and at least 1e-09, got -1"),
        (("IMAGE", "--bias", "1.5"), "bias must be between 0 and 1, both excluded, got 1.5"),
        (("IMAGE", "--preset", "pager"), "unknown preset 'pager'; did you mean 'paper'?"),
        (("IMAGE", "--affinities", "IMAGE"), "--affinities and --offsets belong together"),
        (("IMAGE", "--offsets", "[1]"), "--offsets must be JSON such as"),
        (("IMAGE", "--offsets", "none.json"), "--offsets none.json: No such file"),
        (("IMAGE", "--ignore", "0"), "--ignore names labels of --truth"),
        (("IMAGE", "--slice", "3"), "--slice is for volumes, got an image"),
        (("VOLUME", "--slice", "9"), "--slice must be between 0 and 4, got 9"),
        (("VOLUME", "--graph", "g.png"), "--graph is for images"),
        (("VOLUME.h5:other",), "has no dataset 'other', only the dataset membrane"),
        (("IMAGE", "--boundaries", "VOLUME"), "image's shape"),
        (
            ("IMAGE", "--affinities", "IMAGE", "--offsets", "[[0,1]]", "--connectivity", "2"),
            "--connectivity has no effect with --affinities",
        ),
        (("VOLUME", "-o", "labels.png"), "--output labels.png: a picture cannot hold the labels"),
    ],
)
def test_mistakes_take_one_line(multicut, image, membrane, arguments, message):
    file = membrane.removesuffix(":membrane")
    given = [
        text.replace("VOLUME.h5", file).replace("VOLUME", membrane).replace("IMAGE", str(image))
        for text in arguments
    ]
    outcome = multicut("segment", *given)
    assert outcome.code == 2
    last = outcome.stderr.strip().splitlines()[-1]
    assert last.startswith("error: ")
    assert message in last
    assert outcome.stdout == ""
