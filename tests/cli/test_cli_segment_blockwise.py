"""The command ``multicut segment --blockwise``: labels, estimates and mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from multicut import vision

pytest.importorskip("tensorstore")
pytest.importorskip("pyarrow")


@pytest.fixture
def walls(tmp_path):
    """Walls between eight cubes."""
    array = np.zeros((20, 20, 20), dtype=np.float32)
    array[9:11], array[:, 9:11], array[:, :, 9:11] = 0.9, 0.9, 0.9
    vision.write_image(tmp_path / "walls.zarr", array)
    return tmp_path / "walls.zarr"


def test_labels_and_report(multicut, walls, tmp_path):
    target = tmp_path / "labels.zarr"
    command = ("segment", walls, "-o", target, "--blockwise", "--workers", 1)
    outcome = multicut(*command)
    assert outcome.code == 0, outcome.stderr
    assert ["segments", "8"] in [line.split() for line in outcome.stdout.splitlines()]
    assert "Working in this process." in outcome.stderr
    assert "fragments: 1 done" in outcome.stderr
    assert len(np.unique(vision.read_image(target))) == 8
    again = multicut(*command, "--json")
    assert again.json()["num_segments"] == 8


def test_lifted_edges(multicut, walls, tmp_path):
    near = 1 - vision.read_image(walls)
    far = np.full_like(near, 0.1)
    vision.write_image(tmp_path / "affinities.zarr", np.stack([near, near, near, far]))
    offsets = "[[1,0,0],[0,1,0],[0,0,1],[11,0,0]]"
    command = ("segment", tmp_path / "affinities.zarr", "--blockwise", "--workers", 1)
    outcome = multicut(
        *command, "-o", tmp_path / "a.zarr", "--offsets", offsets, "--lifted", "--json"
    )
    assert outcome.code == 0, outcome.stderr
    assert outcome.json()["num_lifted_edges"] > 0
    assert outcome.json()["lower_bound"] <= outcome.json()["objective"]
    wrong = multicut("segment", walls, "--lifted")
    assert "--lifted is for long-range affinities" in wrong.stderr


def test_estimate(multicut, walls, tmp_path):
    target = tmp_path / "labels.zarr"
    options = ("--blockwise", "--dry-run", "--shape", "2000,3000,4000", "--workers", 3, "--json")
    outcome = multicut("segment", walls, "-o", target, *options)
    assert outcome.code == 0, outcome.stderr
    found = outcome.json()
    assert found["shape"] == [2000, 3000, 4000]
    assert found["num_regions"] == 3_000_000 * 8
    # As such a volume would be divided: chunks of 20 voxels, 16, 16 and 8 of them.
    assert found["block_shape"] == [320, 320, 160]
    assert found["num_blocks"] == 7 * 10 * 25
    assert found["stages"]["bound"]["seconds"] > 0
    assert found["top_memory"] > 300 * found["top_nodes"]
    assert found["stages"]["labels"]["bytes_written"] == 8 * 2000 * 3000 * 4000
    assert found["processor_seconds"] / 3 <= found["seconds"] < found["processor_seconds"]
    assert not list(tmp_path.glob("labels*"))
    shown = multicut("segment", walls, "-o", target, "--blockwise", "--dry-run", "--workers", 1)
    assert "for each worker" in shown.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--halo", 3), "--halo is for --blockwise"),
        (("--blockwise", "--overlay", "a.png"), "--overlay does not go with --blockwise"),
        (("--blockwise", "--compare", "gaec,klj"), "--compare does not go with --blockwise"),
        (("--blockwise", "--block-shape", "wide"), "--block-shape must be lengths such as"),
        (("--blockwise", "--shape", "9,9,9"), "--shape is for --dry-run"),
        (("--blockwise", "--superpixels", "slic"), "block by block there are boundary-watershed"),
        (("--blockwise", "--superpixel-option", "seeds=3"), "have no parameter 'seeds'"),
        (("--blockwise", "--offsets", "[[1,0,0]]", "--axes", "czyx"), "name 4"),
        (("--blockwise", "--cluster", "tcp://127.0.0.1:1", "--workers", 2), "--workers is for"),
    ],
)
def test_mistakes(multicut, walls, tmp_path, options, message):
    outcome = multicut("segment", walls, "-o", tmp_path / "labels.zarr", *options)
    assert outcome.code != 0
    assert message in outcome.stderr
    assert len(outcome.stderr.strip().splitlines()) <= 2
    assert not (tmp_path / "labels.zarr").exists()


def test_labels_need_a_place(multicut, walls):
    outcome = multicut("segment", walls, "--blockwise")
    assert outcome.code != 0
    assert "give --output LABELS.zarr" in outcome.stderr
