from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from multicut.datasets import open_dataset
from multicut.models import load_model
from multicut.plotting import saving
from paper import pictures
from paper.graph_drawings import SINGLE


@pytest.fixture
def saved(monkeypatch):
    """Return the figures that are saved, by their names."""
    figures = {}

    def save(figure, path, **_):
        figures[path.stem.removeprefix("results-")] = figure
        path.write_bytes(b"")

    monkeypatch.setattr(saving, "save_figure", save)
    return figures


def dots_of(ax):
    return [to_hex(colour) for colour in ax.collections[-1].get_facecolors()]


def test_changed_drawings_are_drawn_anew(settings, monkeypatch):
    drawn = []

    def draw(_graphs, about, path):
        drawn.append(about)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")

    monkeypatch.setattr(pictures, "draw_samples", draw)
    monkeypatch.setattr(pictures, "INSTANCES", ())
    pictures.measure(settings)
    assert drawn == ["IrisMP (easier)", "RandomMP"]
    pictures.measure(settings)
    assert len(drawn) == 2
    settings.picture("samples-irismp").unlink()
    pictures.measure(settings)
    assert drawn[2:] == ["IrisMP (easier)"]
    monkeypatch.setattr(pictures, "_DRAWING", -1)
    pictures.measure(settings)
    assert len(drawn) == 5


def test_samples_show_single_nodes_and_where_they_are_from(saved, tmp_path):
    graphs = list(open_dataset("irismp", "test")[:2])
    pictures.draw_samples(graphs, "IrisMP (easier)", tmp_path / "samples.png")
    figure = saved["samples"]
    assert figure.get_suptitle() == "IrisMP (easier)"
    for problem, ax in zip(graphs, figure.axes[2:], strict=True):
        alone = np.bincount(problem.labels)[problem.labels] == 1
        assert [colour == SINGLE for colour in dots_of(ax)] == alone.tolist()


def test_clusters_keep_their_colours_in_all_panels(saved, tmp_path):
    problem = open_dataset("irismp", "test")[17]
    model = load_model(pictures.MODEL)
    pictures.draw_embedding(model, problem, "Instance 17", tmp_path / "embedding.png")
    figure = saved["embedding"]
    assert figure.get_suptitle() == "Instance 17"
    cut, best, embedding = map(dots_of, figure.axes[:3])
    assert cut == embedding
    # The network cuts almost as it should, but its largest cluster is the second largest one.
    shared = [one for one, other in zip(cut, best, strict=True) if one == other]
    assert len(shared) > len(cut) / 2
