from __future__ import annotations

import numpy as np
import pytest

from multicut.training.batches import Share
from multicut.training.sampler import Sampler
from multicut.training.schedule import Ramp


@pytest.mark.parametrize(("num_graphs", "batch_size"), [(10, 4), (7, 7), (3, 8)])
def test_each_pass_shows_every_graph_once(num_graphs: int, batch_size: int) -> None:
    sampler = Sampler(num_graphs, batch_size, seed=5)
    batches = [sampler.graphs(step) for step in range(num_graphs)]
    assert all(len(batch) == batch_size for batch in batches)
    passes = np.concatenate(batches).reshape(batch_size, num_graphs)
    assert (np.sort(passes, axis=1) == np.arange(num_graphs)).all()
    assert len({tuple(order) for order in passes.tolist()}) > 1


def test_a_step_is_known_without_those_before_it() -> None:
    straight = Sampler(10, 4, seed=1)
    expected = [straight.graphs(step) for step in range(9)]
    np.testing.assert_array_equal(Sampler(10, 4, seed=1).graphs(8), expected[8])
    assert not np.array_equal(Sampler(10, 4, seed=2).graphs(0), expected[0])


def test_nothing_to_train_on() -> None:
    with pytest.raises(ValueError, match="no graphs to train on"):
        Sampler(0, 4, seed=1)


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
