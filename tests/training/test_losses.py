"""What each loss of the registry asks for, and what it consists of."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from multicut.nn import GraphBatch
from multicut.nn.cycles import CycleSet
from multicut.nn.losses import binary_cross_entropy, cycle_consistency, polynomial_program
from multicut.training import TrainingConfig
from multicut.training.batches import TrainingBatch
from multicut.training.losses import LOSSES, TERMS, CrossEntropy, Decisions, PolynomialProgram
from multicut.training.schedule import Ramp
from tests.networks import small_network
from tests.problems import random_problem

CONFIG = TrainingConfig(alpha=0.5, alpha_start=100, alpha_ramp=0, max_cycle_length=5)


def draw() -> np.random.Generator:
    return np.random.default_rng(0)


def some_batch(*, with_cycles: bool) -> TrainingBatch:
    problems = [random_problem(8, 0.6, seed=seed) for seed in range(3)]
    rng = np.random.default_rng(0)
    cuts = [rng.random(problem.num_edges) < 0.5 for problem in problems]
    graphs = GraphBatch.from_problems(problems, dtype=torch.float64, cuts=cuts)
    cycles = CycleSet.of(graphs, 5) if with_cycles else None
    # As in one of two processes: sizes are those of the batches of both.
    return TrainingBatch(graphs, cycles, 2 * graphs.num_edges, 6)


@pytest.fixture
def network():
    return small_network().double()


@pytest.mark.parametrize("name", [loss.name for loss in LOSSES])
def test_terms_are_known_and_one_of_them_is_the_loss(name, network):
    loss = LOSSES.get(name).from_config(CONFIG)
    batch = some_batch(with_cycles=loss.cycle_length(200) is not None)
    terms = loss(network, batch, loss.cycle_weight(200), draw)
    assert set(terms) <= set(TERMS)
    assert terms["loss"].requires_grad
    assert terms["loss"].shape == ()


def test_cross_entropy_needs_cycles_once_alpha_is_positive(network):
    loss = CrossEntropy.from_config(CONFIG)
    assert [loss.cycle_length(seen) for seen in (0, 99, 100, 10**6)] == [None, None, 5, 5]
    assert [loss.cycle_weight(seen) for seen in (0, 99, 100)] == [0.0, 0.0, 0.5]
    batch = some_batch(with_cycles=True)
    logits = network(batch.graphs)
    bce = binary_cross_entropy(logits, batch.graphs) / 2  # of one process of two
    ccl = cycle_consistency(torch.sigmoid(logits), batch.graphs, batch.cycles) / 2
    terms = loss(network, batch, 0.5, draw)
    torch.testing.assert_close(terms["bce"], bce)
    torch.testing.assert_close(terms["ccl"], ccl, check_dtype=False)
    torch.testing.assert_close(terms["loss"], bce + 0.5 * ccl, check_dtype=False)
    per_edge = CrossEntropy(Ramp(0, 1, 0, 0), 5, "edge")(network, batch, 0.5, draw)
    torch.testing.assert_close(per_edge["ccl"], terms["ccl"] * 6 / batch.num_edges)


def test_the_polynomial_program_needs_cycles_but_no_labels(network):
    loss = PolynomialProgram.from_config(CONFIG)
    assert not loss.needs_labels
    assert loss.cycle_length(0) == 5
    assert loss.cycle_weight(0) == CONFIG.initial_penalty
    assert loss.cycle_weight(10**6) == CONFIG.penalty
    batch = some_batch(with_cycles=True)
    probabilities = torch.sigmoid(network(batch.graphs).float())
    expected = polynomial_program(probabilities, batch.graphs, batch.cycles, 0.3, normalise=True)
    terms = loss(network, batch, 0.3, draw)
    torch.testing.assert_close(terms["objective"], expected / 2)
    assert terms["loss"] is terms["objective"]


def test_decisions_see_contracted_graphs_in_a_share_of_steps(network):
    batch = some_batch(with_cycles=False)
    seen: list[int] = []

    def predict(graphs: GraphBatch) -> torch.Tensor:
        seen.append(graphs.num_nodes)
        return network(graphs)

    for share, step in ((0.0, 0), (1.0, 0), (1.0, 1)):
        Decisions(contracted=share)(predict, batch, 0.0, lambda s=step: np.random.default_rng(s))
    whole, *contracted = seen
    assert whole == batch.graphs.num_nodes
    assert all(number < whole for number in contracted)


def test_settings_of_another_loss_are_an_error():
    for loss in LOSSES:
        for name in loss.own_settings:
            for other in LOSSES:
                values = {"loss": other.name, name: 0.5}
                if other is loss:
                    assert getattr(TrainingConfig().updated(values), name) == 0.5
                else:
                    with pytest.raises(ValueError, match=f"is for loss = {loss.name!r}, got"):
                        TrainingConfig().updated(values)
    with pytest.raises(ValueError, match="loss must be one of bce, decisions, polynomial; got 'l"):
        TrainingConfig(loss="l1")
