"""The example of examples/tracking.py, shortened."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

from tests.examples.load import load_example


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return load_example("tracking")


def test_the_multicut_tracks_better_than_frame_by_frame(example, capsys, tmp_path):
    scores = example.main(num_objects=12, num_frames=25, seed=3, picture=tmp_path / "tracks.png")
    assert scores["multicut"]["IDF1"] > scores["frame by frame"]["IDF1"] + 0.03
    assert scores["multicut"]["IDF1"] > 0.9
    assert "12 objects in 25 frames" in capsys.readouterr().out
    assert (tmp_path / "tracks.png").stat().st_size > 5_000


def test_scores(example):
    objects = np.array([0, 0, 0, 0, 1, 1, -1])
    perfect = example.identity_scores(np.array([0, 0, 0, 0, 1, 1, 2]), objects)
    assert perfect == {"IDF1": 1.0, "pair F1": 1.0, "tracks per object": 1.0}
    # One object in two tracks, the false detection in the other's.
    found = example.identity_scores(np.array([0, 0, 2, 2, 1, 1, 1]), objects)
    assert found["IDF1"] == pytest.approx(2 * (2 + 2) / (7 + 6))
    assert found["tracks per object"] == 1.5
    # Pairs: 6 + 1 true, 1 + 1 + 3 found, of which 1 + 1 + 1 are both.
    assert found["pair F1"] == pytest.approx(2 * 3 / (7 + 5))


def test_no_track_has_two_detections_in_one_frame(example):
    rng = np.random.default_rng(0)
    known = example.simulate(8, 15, rng)
    model = example.train(known, example.linked_pairs(known))
    detections = example.simulate(8, 15, rng)
    pairs = example.linked_pairs(detections)
    costs = example.edge_costs(model, detections, pairs)
    problem = example.mc.Problem(pairs, costs, num_nodes=len(detections.frames))
    ways = (
        example.mc.solve(problem, "klj").labels,
        example.link_greedily(detections, pairs, costs),
    )
    for labels in ways:
        seen = set(zip(labels.tolist(), detections.frames.tolist(), strict=True))
        assert len(seen) == len(labels)


def test_lifted_edges_bridge_occlusions(example, capsys):
    scores = example.main(num_objects=10, num_frames=36, seed=0, occlusion=8)
    assert scores["lifted multicut"]["IDF1"] > scores["multicut"]["IDF1"] + 0.08
    assert scores["lifted multicut"]["tracks per object"] < scores["multicut"]["tracks per object"]
    assert "lifted edges" in capsys.readouterr().out


def test_hidden_objects_are_not_detected(example):
    detections = example.simulate(6, 30, np.random.default_rng(0), occlusion=8)
    for i in range(6):
        frames = detections.frames[detections.objects == i]
        assert np.diff(frames).max() > 8


def test_lifted_edges_are_no_edges(example):
    detections = example.simulate(6, 20, np.random.default_rng(0), occlusion=4)
    kinds = [
        example.linked_pairs(detections, 6),
        example.lifted_pairs(detections, 6),
        example.impossible_pairs(detections, 6),
    ]
    pairs = np.concatenate(kinds)
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    number = len(detections.frames)
    assert len(pairs) == number * (number - 1) // 2  # twenty frames are within reach
