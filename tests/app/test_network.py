"""A look into networks."""

from __future__ import annotations

import sys

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.app import network
from multicut.app.failures import VisitorError, describe_failure
from multicut.app.solving import offered_solvers

PROBLEM = mc.datasets.randommp(50, seed=3)


@pytest.mark.parametrize("name", ["gcn_w_bn-randommp", "universal", "lr-randommp"])
def test_probabilities_are_those_of_the_model(name: str) -> None:
    insight = network.ask_network(PROBLEM, name)
    with torch.inference_mode():
        expected = mc.load_model(name)(PROBLEM).numpy()
    np.testing.assert_allclose(insight.probabilities, expected, rtol=1e-5, atol=1e-6)
    assert insight.states.shape[0] == PROBLEM.num_nodes
    assert np.isfinite(insight.states).all()
    result = mc.solve(PROBLEM, "gaec")
    for picture in (
        network.picture_of_embedding(PROBLEM, insight, result),
        network.picture_of_similarity(insight),
        network.picture_of_probabilities(insight, result),
        network.picture_of_prediction(PROBLEM, insight, mc.datasets.randommp_points(50, 3)),
    ):
        assert picture is not None
        assert picture.dtype == np.uint8
        assert picture.shape[2] == 4
        assert picture.std() > 1  # something is drawn


def test_agreement_is_counted() -> None:
    result = mc.solve(PROBLEM, "gaec")
    probabilities = np.where(result.cut, 0.9, 0.1)
    probabilities[0] = 1 - probabilities[0]
    insight = network.Insight(np.zeros((PROBLEM.num_nodes, 4)), probabilities)
    share = 100 * (1 - 1 / PROBLEM.num_edges)
    assert f"agrees with gaec on {share:.1f} %" in network.describe_insight(insight, result)


def test_one_state_is_singular() -> None:
    result = mc.solve(mc.Problem([[0, 1]], [1.0]), "gaec")
    insight = network.Insight(np.zeros((1, 1)), np.array([0.1]))
    assert network.describe_insight(insight, result).startswith("1 state of 1 number. ")


def test_large_graphs_are_shown_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(network, "_MOST_POINTS", 20)
    monkeypatch.setattr(network, "_MOST_ROWS", 20)
    insight = network.ask_network(PROBLEM, "mlp-randommp")
    network.picture_of_embedding(PROBLEM, insight, mc.solve(PROBLEM, "gaec"))
    network.picture_of_similarity(insight)
    kept = network._some(PROBLEM.num_nodes, 20)
    part = network._induced(PROBLEM, kept)
    assert part.num_nodes == 20
    inside = np.isin(PROBLEM.edges, kept).all(axis=1)
    assert np.array_equal(kept[part.edges], PROBLEM.edges[inside])


def test_refusals() -> None:
    # The library takes paths of models; a visitor must not name one.
    with pytest.raises(VisitorError, match="unknown network '/etc/passwd'"):
        network.ask_network(PROBLEM, "/etc/passwd")
    with pytest.raises(VisitorError, match="no edges"):
        network.ask_network(mc.Problem([], [], num_nodes=3), "universal")
    with pytest.raises(VisitorError, match="need finite costs"):
        network.ask_network(mc.Problem([[0, 1]], [np.inf]), "universal")


def test_without_torch_the_page_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError) as caught:
        network.ask_network(PROBLEM, "universal")
    assert describe_failure(caught.value) == (
        'a network needs torch, which is not installed; install it with: pip install "multicut[nn]"'
    )
    assert "gnn" not in offered_solvers()
    assert "learned" in offered_solvers()
