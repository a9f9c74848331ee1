from __future__ import annotations

import pytest

import multicut as mc
from multicut.models import registry
from paper import PaperSettings
from paper.studies import ablation_figures, cycle_figures, readings_figures, recipe_figures, seeds
from tests.networks import save_small_model, small_contraction_network


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Few and small graphs, small networks under the names of those that solvers use."""
    weights = tmp_path / "weights"
    save_small_model(weights, "gcn_w_bn-randommp")
    save_small_model(weights, registry.DEFAULT_MODEL)
    card = {"description": "for tests"}
    mc.save_model(small_contraction_network(), weights / "universal", card)
    monkeypatch.setattr(registry, "WEIGHTS", weights)
    return PaperSettings(
        output=tmp_path / "page",
        cache=tmp_path / "cache",
        curves=tmp_path / "curves",
        num_graphs=3,
        sizes=(10, 60),
        time_limit=20.0,
        command="a command",
    )


@pytest.fixture
def drawn(monkeypatch):
    """The figures that studies draw, by the names of their pictures; they are not saved."""
    figures = {}

    def keep(figure, picture):
        figures[picture.stem.removeprefix("results-")] = figure

    for module in (ablation_figures, cycle_figures, readings_figures, recipe_figures, seeds):
        monkeypatch.setattr(module, "save_plot", keep)
    return figures
