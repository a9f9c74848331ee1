"""The example of examples/segment_image.py."""

from __future__ import annotations

import numpy as np

import multicut as mc
from tests.examples.load import load_example


def test_segments_of_a_picture(capsys, tmp_path):
    example = load_example("segment_image")
    picture = np.full((60, 90, 3), 30, dtype=np.uint8)
    picture[:, 45:] = (220, 60, 40)
    mc.vision.write_image(tmp_path / "picture.png", picture)
    result = example.main(tmp_path / "picture.png", picture=tmp_path / "segments.png")
    assert result.result.num_clusters == 2
    assert result.labels[30, 10] != result.labels[30, 80]
    assert "2 segments" in capsys.readouterr().out
    overlay = mc.vision.read_image(tmp_path / "segments.png")
    assert overlay.shape == picture.shape
    assert (overlay[:, 43:47] != picture[:, 43:47]).any()


def test_the_sample_has_few_large_segments():
    example = load_example("segment_image")
    segmentation = example.main()
    sizes = np.sort(np.bincount(segmentation.labels.ravel()))
    assert sizes[-10:].sum() > 0.8 * sizes.sum()
    assert 5 < len(sizes) < 200
