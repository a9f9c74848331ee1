"""Every figure looks as it did when somebody last looked at it."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from PIL import Image

from multicut import plotting
from multicut.plotting import palette, plot_frontier, plot_image_cut, plot_solution, plot_trace
from tests.plotting import figures
from tests.plotting.figures import FIGURES, new_axes
from tests.plotting.golden import FOLDER, TOLERANCE, distance, draw, load


@pytest.mark.parametrize("name", FIGURES)
def test_figure_looks_as_it_should(name, tmp_path):
    drawn = draw(FIGURES[name])
    found = distance(drawn, load(name))
    if found > TOLERANCE:
        Image.fromarray(drawn).save(tmp_path / f"{name}.png")
    assert found <= TOLERANCE, (
        f"{name} has changed ({found:.1f}): look at {tmp_path / name}.png; if that is how it "
        f"should be, run `make golden`"
    )


def test_every_figure_function_has_one_and_none_is_left_over():
    functions = [name for name in plotting.__all__ if name.startswith("plot_")]
    names = [name.removeprefix("plot_").replace("_", "-") for name in functions]
    assert [name for name in names if name not in FIGURES] == []
    assert {path.stem for path in FOLDER.glob("*.png")} == set(FIGURES)


def one_cluster_less():
    merged = np.where(figures.labels() == 1, 0, figures.labels())
    return plot_solution(figures.problem(), merged, figures.positions(), new_axes(3, 3)).figure


def one_segment_less():
    found = figures.segmentation().result.labels
    merged = np.where(found == found.max(), found.min(), found)
    ax = plot_image_cut(figures.image(), figures.superpixels(), merged, new_axes(4, 3))
    return ax.figure


def without_bound():
    return plot_trace(figures.results()[:2], new_axes(4.5, 3)).figure


def one_point_less():
    return plot_frontier(figures.POINTS[:-1], new_axes(5, 3)).figure


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("solution", one_cluster_less),
        ("image-cut", one_segment_less),
        ("trace", without_bound),
        ("frontier", one_point_less),
    ],
)
def test_changed_content_is_refused(name, make):
    assert distance(draw(make), load(name)) > 1.3 * TOLERANCE


def test_changed_colours_are_refused(monkeypatch):
    module = import_module("multicut.plotting.problem")
    monkeypatch.setattr(module, "ATTRACTIVE", palette.CLUSTERS[2])
    assert distance(draw(FIGURES["problem"]), load("problem")) > 1.3 * TOLERANCE


def test_a_figure_of_another_size_is_refused():
    assert distance(draw(FIGURES["problem"]), load("trace")) == float("inf")
