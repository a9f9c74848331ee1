from __future__ import annotations

import numpy as np
import pytest

from multicut.training.batches import Share
from multicut.training.sampler import Mixture, Passes, stage_rng
from multicut.training.schedule import LearningRate, Ramp


@pytest.mark.parametrize(("num_graphs", "batch_size"), [(10, 4), (7, 7), (3, 8)])
def test_each_pass_shows_every_graph_once(num_graphs: int, batch_size: int) -> None:
    sampler = Passes(num_graphs, batch_size, seed=5)
    batches = [sampler.graphs(step) for step in range(num_graphs)]
    assert all(len(batch) == batch_size for batch in batches)
    passes = np.concatenate(batches).reshape(batch_size, num_graphs)
    assert (np.sort(passes, axis=1) == np.arange(num_graphs)).all()
    assert len({tuple(order) for order in passes.tolist()}) > 1


def test_a_step_is_known_without_those_before_it() -> None:
    straight = Passes(10, 4, seed=1)
    expected = [straight.graphs(step) for step in range(9)]
    np.testing.assert_array_equal(Passes(10, 4, seed=1).graphs(8), expected[8])
    assert not np.array_equal(Passes(10, 4, seed=2).graphs(0), expected[0])


def test_nothing_to_train_on() -> None:
    with pytest.raises(ValueError, match="no graphs to train on"):
        Passes(0, 4, seed=1)


def test_shares_of_processes_make_up_the_batch() -> None:
    graphs = np.arange(12)
    parts = [graphs[Share(rank, 3).of(graphs)] for rank in range(3)]
    assert [len(part) for part in parts] == [4, 4, 4]
    np.testing.assert_array_equal(np.concatenate(parts), graphs)


def test_the_schedule_of_the_paper() -> None:
    alpha = Ramp(before=0.0, after=0.01, start=3_000_000, length=100_000)
    assert alpha.at(0) == alpha.at(2_999_800) == alpha.at(3_000_000) == 0
    assert alpha.at(3_050_000) == pytest.approx(0.005)
    assert alpha.at(3_100_000) == alpha.at(3_149_800) == 0.01


def test_ramps_at_the_edge() -> None:
    assert Ramp(0.0, 0.01, start=0, length=0).at(0) == 0.01
    assert Ramp(0.0, 0.0, start=0, length=10).at(5) == 0.0
    assert Ramp(3.0, 1.0, start=10, length=10).at(15) == pytest.approx(2.0)


def test_a_mixture_draws_by_shares() -> None:
    mixture = Mixture([100, 10, 1000], [1.0, 3.0, 0.0], batch_size=50, seed=3)
    drawn = [mixture.graphs(step) for step in range(40)]
    assert all(len(batch) == 50 for batch in drawn)
    counts = np.histogram(np.concatenate(drawn), [0, 100, 110, 1110])[0]
    assert counts[2] == 0
    assert counts[1] / counts[0] == pytest.approx(3, rel=0.2)
    # Each process sees all datasets: they are not drawn one behind the other.
    assert (drawn[0][:25] < 100).any()
    assert (drawn[0][25:] < 100).any()
    np.testing.assert_array_equal(
        Mixture([100, 10, 1000], [1.0, 3.0, 0.0], 50, seed=3).graphs(39), drawn[39]
    )
    with pytest.raises(ValueError, match="no graphs to train on in one of the datasets"):
        Mixture([4, 0], [1, 1], 2, seed=0)


def test_the_learning_rate_rises_and_falls() -> None:
    constant = LearningRate(0.1, warm_up=0, total=100, decays=False)
    assert constant.at(0) == constant.at(99) == 0.1
    rate = LearningRate(0.1, warm_up=10, total=100, decays=True)
    assert rate.at(0) == pytest.approx(0.01)
    assert rate.at(50) == pytest.approx(0.05)
    assert rate.at(4) < rate.at(8)
    assert rate.at(99) < 1e-4
    assert rate.at(100) == rate.at(200) == 0


def test_stages_do_not_depend_on_which_graphs_were_drawn() -> None:
    """On the first process as on others: numbers that are left out count as 0 in NumPy."""
    mixture = Mixture([1000, 1000], [0.06, 0.94], batch_size=256, seed=0)
    counts = np.array([(mixture.graphs(step) < 1000).sum() for step in range(1000)])
    for rank in (0, 1):
        draws = np.array([stage_rng(0, step, rank).random() for step in range(1000)])
        # Of independent numbers, beyond 0.16 once in two million cases.
        assert abs(np.corrcoef(counts, draws)[0, 1]) < 0.16


def test_chances_are_how_often_graphs_are_drawn() -> None:
    mixture = Mixture([10, 40, 5], [1.0, 2.0, 1.0], batch_size=64, seed=0)
    for sampler, num_graphs in ((Passes(30, 8, seed=0), 30), (mixture, 55)):
        drawn = np.concatenate([sampler.graphs(step) for step in range(900)])
        shares = np.bincount(drawn, minlength=num_graphs) / len(drawn)
        assert sampler.chances.shape == (num_graphs,)
        np.testing.assert_allclose(sampler.chances.sum(), 1)
        np.testing.assert_allclose(shares, sampler.chances, atol=0.004)
