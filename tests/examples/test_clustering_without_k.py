"""The example of examples/clustering_without_k.py, shortened."""

from __future__ import annotations

from tests.examples.load import load_example


def test_the_estimator_needs_no_tuning(capsys, tmp_path):
    example = load_example("clustering_without_k")
    del example.ESTIMATORS["AffinityPropagation"]  # takes longer than all others together
    scores = example.main(num_seeds=1, num_samples=250, picture=tmp_path / "clusters.png")
    own = scores.pop("MulticutClustering")
    assert min(own[name] for name in ("blobs, 10-d", "moons", "circles")) > 0.95
    told = scores.pop("Agglomerative, true k")
    assert told["moons"] < own["moons"]
    mean = sum(own.values())
    assert all(mean > sum(others.values()) for others in scores.values())
    assert "adjusted Rand index" in capsys.readouterr().out
    assert (tmp_path / "clusters.png").stat().st_size > 5_000
