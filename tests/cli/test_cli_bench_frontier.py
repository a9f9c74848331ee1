from __future__ import annotations

import json

import pytest

from multicut.models import registry
from tests.networks import save_small_model, small_contraction_network


@pytest.fixture(autouse=True)
def _small_models(tmp_path, monkeypatch):
    import multicut as mc

    weights = tmp_path / "weights"
    save_small_model(weights, registry.DEFAULT_MODEL)
    mc.save_model(small_contraction_network(), weights / registry.UNIVERSAL_MODEL, {})
    monkeypatch.setattr(registry, "WEIGHTS", weights)


def test_quick_run_in_parts(multicut, tmp_path):
    folder = tmp_path / "out"
    given = ("bench", "frontier", "--quick", "--num", 1, "--time-limit", 0.3, "-o", folder)
    outcome = multicut(*given, "--family", "irismp")
    assert outcome.code == 0
    assert "auto on irismp" in outcome.stderr
    assert [path.name for path in (folder / "cache").iterdir()] == ["irismp.json"]
    outcome = multicut(*given, "--family", "irismp", "--family", "voronoi", "--no-peer")
    assert outcome.code == 0
    document = json.loads((folder / "frontier.json").read_text())
    assert [each["family"] for each in document["families"]] == ["irismp", "voronoi"]
    assert document["environment"]["command"].startswith("multicut bench frontier --quick --num 1")
    page = (folder / "frontier.md").read_text()
    assert "![Ratio against time on voronoi](images/frontier-voronoi.png)" in page
    assert (folder / "images" / "frontier-voronoi.png").exists()


def test_bad_arguments(multicut, tmp_path):
    for arguments, expected in (
        (("--family", "trees"), "unknown --family 'trees'; choose from: irismp"),
        (("--data", tmp_path / "nowhere"), "no such folder"),
        (("--device", "tpu"), "device must be 'cpu' or"),
        (("--threads", 0), "--threads"),
    ):
        outcome = multicut("bench", "frontier", "-o", tmp_path / "out", *arguments)
        assert outcome.code == 2
        assert expected in outcome.stderr
        if "--threads" not in arguments:
            assert len(outcome.stderr.strip().splitlines()) == 1
