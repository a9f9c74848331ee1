"""Every registered format gives back what it was given."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.io import FormatRecord, list_formats
from tests.io.strategies import held_by

every_format = pytest.mark.parametrize("record", list_formats(), ids=lambda record: record.name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("round_trip")


def assert_same(problem: mc.Problem, expected: mc.Problem) -> None:
    assert problem == expected
    # Also tells -0.0 from 0.0.
    np.testing.assert_array_equal(problem.costs.view(np.int64), expected.costs.view(np.int64))
    assert problem.has_own_ids == expected.has_own_ids
    lifted, expected_lifted = problem.lifted_costs, expected.lifted_costs
    np.testing.assert_array_equal(lifted.view(np.int64), expected_lifted.view(np.int64))


@every_format
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_nothing_is_lost_and_content_tells_the_format(
    folder: Path, record: FormatRecord, data: st.DataObject
) -> None:
    problem = data.draw(held_by(record.name))
    for suffix in record.suffixes:
        path = folder / f"problem{suffix}"
        mc.write(problem, path, format=record.name)
        assert_same(mc.read(path), problem)
        assert_same(mc.read(path, format=record.name), problem)


@every_format
def test_gzip(folder: Path, record: FormatRecord) -> None:
    problem = mc.Problem([[0, 1], [0, 2], [1, 2]], [1, -1, 1])
    path = folder / f"problem{record.suffixes[0]}.gz"
    mc.write(problem, path)
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert mc.read(path) == problem
    assert list(mc.read_all(path)) == ["problem.andres" if record.name == "andres" else "problem"]


@every_format
def test_equal_problems_give_equal_files(folder: Path, record: FormatRecord) -> None:
    problem = mc.Problem([[0, 1], [0, 2], [1, 2]], [1, -1, 1])
    path = folder / f"equal{record.suffixes[0]}.gz"
    mc.write(problem, path)
    first = path.read_bytes()
    mc.write(problem, path)
    assert path.read_bytes() == first


@every_format
def test_large_problem(folder: Path, record: FormatRecord) -> None:
    if record.name in ("cplib", "pace"):
        rng = np.random.default_rng(0)
        edges = np.stack(np.triu_indices(500, k=1), axis=1)
        costs = rng.choice([-1.0, 1.0], len(edges))
        problem = mc.Problem(edges, costs, num_nodes=500)
    else:
        problem = mc.datasets.randommp(80_000)  # more edges than are written at a time
    path = folder / f"large{record.suffixes[0]}"
    mc.write(problem, path)
    assert mc.read(path) == problem


@every_format
def test_names_that_are_no_integers(folder: Path, record: FormatRecord) -> None:
    problem = mc.Problem([[0, 1]], [1.0], node_ids=["a", "b"])
    path = folder / f"named{record.suffixes[0]}"
    if record.name in ("npz", "edges"):
        mc.write(problem, path)
        assert mc.read(path) == problem
        return
    with pytest.raises(
        ValueError, match=f"format '{record.name}' stores integer node ids only, got"
    ):
        mc.write(problem, path)
    assert not path.exists()


@every_format
def test_negative_ids(folder: Path, record: FormatRecord) -> None:
    problem = mc.Problem([[0, 1]], [1.0], node_ids=[-3, 5])
    path = folder / f"negative{record.suffixes[0]}"
    if record.name == "npz":
        mc.write(problem, path)
        assert mc.read(path) == problem
        return
    with pytest.raises(
        ValueError, match=f"format '{record.name}' stores node ids from 0 on, got -3"
    ):
        mc.write(problem, path)
    assert not path.exists()


@every_format
def test_lifted_edges_are_kept_or_refused(folder: Path, record: FormatRecord) -> None:
    edges, lifted = [[0, 1], [0, 2], [1, 2]], [[0, 3], [3, 1]]
    problem = mc.Problem(
        [*edges, [2, 3]], [1, -1, 1, 1], lifted_edges=lifted, lifted_costs=[0.1, -np.inf]
    )
    path = folder / f"lifted{record.suffixes[0]}"
    if record.holds_lifted:
        mc.write(problem, path)
        assert mc.read(path) == problem
        assert mc.read(path).lifted_edges.tolist() == lifted
        return
    message = f"format '{record.name}' stores no lifted edges, got 2; write with format='npz'"
    with pytest.raises(ValueError, match=message):
        mc.write(problem, path)
    assert not path.exists()
