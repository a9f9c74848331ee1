from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.datasets import Dataset, LabelledProblem, generate


@pytest.fixture(scope="module")
def labelled() -> Dataset:
    dataset = generate("irismp", 12, min_nodes=4, max_nodes=7)
    return dataset.label("ilp", num_workers=1)


def same(a: LabelledProblem, b: LabelledProblem) -> bool:
    return (
        a == b
        and a.name == b.name
        and a.objective == b.objective
        and a.lower_bound == b.lower_bound
        and np.array_equal(a.cut, b.cut)
        and np.array_equal(a.positions, b.positions)
    )


def test_it_is_a_sequence_of_problems(labelled):
    assert len(labelled) == 12
    assert all(isinstance(problem, mc.Problem) for problem in labelled)
    assert same(labelled[-1], labelled[11])
    assert same(labelled[np.int64(3)], list(labelled)[3])
    for index in (12, -13):
        with pytest.raises(IndexError, match="the dataset has 12 graphs"):
            labelled[index]
    with pytest.raises(TypeError, match="a dataset takes an integer"):
        labelled["train"]


def test_labels_are_optimal_partitions(labelled):
    from tests.problems import optimum

    for problem in labelled:
        assert problem.objective == pytest.approx(optimum(problem))
        assert problem.optimal
        assert problem.gap == 0
        assert mc.is_feasible(problem, problem.cut)
        assert mc.objective(problem, problem.labels) == pytest.approx(problem.objective)
    assert labelled.optimal.all()
    assert (labelled.gap == 0).all()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_parts_hold_the_same_problems(labelled, data):
    everything = list(labelled)
    bound = st.none() | st.integers(-14, 14)
    section = slice(
        data.draw(bound), data.draw(bound), data.draw(st.sampled_from([None, 1, 2, -1]))
    )
    chosen = data.draw(st.lists(st.integers(-12, 11)))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=12, max_size=12)))
    picks = (
        (section, everything[section]),
        (chosen, [everything[i] for i in chosen]),
        (mask, [p for p, wanted in zip(everything, mask, strict=True) if wanted]),
    )
    for index, expected in picks:
        part = labelled[index]
        assert isinstance(part, Dataset)
        assert len(part) == len(expected)
        assert all(map(same, part, expected))
        if len(part) > 1:
            assert all(map(same, part[1:], expected[1:]))


def test_slices_share_memory(labelled):
    assert np.shares_memory(labelled[3:7].arrays().edges, labelled.arrays().edges)
    with pytest.raises(IndexError, match="the mask has 2 entries for 12 graphs"):
        labelled[np.array([True, False])]
    with pytest.raises(IndexError, match="the dataset has 12 graphs"):
        labelled[[0, 12]]


def test_problems_survive_pickling(labelled):
    again = pickle.loads(pickle.dumps(labelled[2]))
    assert isinstance(again, LabelledProblem)
    assert same(again, labelled[2])


def test_problems_go_in_and_come_out(labelled):
    again = Dataset.from_problems(list(labelled))
    assert all(map(same, again, labelled))
    problems = {"triangle": mc.Problem([[0, 1], [1, 2], [0, 2]], [1, 2, -4.0])}
    bare = Dataset.from_problems(problems, name="mine")
    assert bare.names == ["triangle"]
    assert bare[0].objective is None
    assert bare[0].cut is None
    assert bare[0].labels is None
    assert bare[0].gap is None
    assert not bare.labelled.any()
    solved = Dataset.from_problems(problems, mc.solve_batch(problems.values(), "gaec"))
    assert solved[0].objective == -3
    assert solved[0].cut.tolist() == [True, False, True]
    assert not solved[0].optimal
    assert solved.gap.tolist() == [np.inf]
    with pytest.raises(ValueError, match="got 0 results for 1 graph"):
        Dataset.from_problems(problems, [])
    assert len(Dataset.from_problems([])) == 0


def test_splits_are_disjoint_and_complete(labelled):
    parts = labelled.split({"train": 0.7, "valid": 0.2, "test": 0.1}, seed=3)
    assert {name: len(part) for name, part in parts.items()} == {"train": 9, "valid": 2, "test": 1}
    names = [name for part in parts.values() for name in part.names]
    assert sorted(names) == sorted(labelled.names)
    again = labelled.split({"train": 0.7, "valid": 0.2, "test": 0.1}, seed=3)
    assert again["train"].names == parts["train"].names
    assert labelled.split({"a": 5, "b": 7})["b"].names == labelled[5:].names
    other = labelled.split({"train": 0.7, "valid": 0.2, "test": 0.1}, seed=4)
    assert other["train"].names != parts["train"].names
    for parts, message in (
        ({}, "parts must name at least one part"),
        ({"a": -1}, "parts must be numbers of at least 0, got -1"),
        ({"a": 0}, "parts must not all be 0"),
    ):
        with pytest.raises(ValueError, match=message):
            labelled.split(parts)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=5), st.integers(0, 300))
def test_split_sizes_add_up(weights, count):
    from multicut.datasets.splitting import split_sizes

    if sum(weights) == 0:
        return
    sizes = split_sizes({str(i): w for i, w in enumerate(weights)}, count)
    assert sum(sizes.values()) == count
    for size, weight in zip(sizes.values(), weights, strict=True):
        assert abs(size - weight * count / sum(weights)) < 1
    exact = split_sizes({str(i): w for i, w in enumerate(weights)}, sum(weights))
    assert list(exact.values()) == weights


def test_arrays_describe_one_large_graph(labelled):
    arrays = labelled.arrays()
    joint = arrays.joint_edges()
    whole = mc.Problem(joint, arrays.costs, num_nodes=int(arrays.node_offsets[-1]))
    assert whole.num_edges == len(arrays.costs)
    assert mc.solve(whole, "ilp").objective == pytest.approx(arrays.objective.sum())
    assert np.array_equal(np.bincount(arrays.graph_of_edges()), arrays.num_edges)
    assert arrays.per_graph(np.where(arrays.cut, arrays.costs, 0)) == pytest.approx(
        arrays.objective
    )


def test_fingerprint_sees_graphs_but_not_rounding(labelled):
    from dataclasses import replace

    arrays = labelled.arrays()
    nudged = replace(arrays, costs=np.nextafter(arrays.costs, np.inf))
    assert nudged.fingerprint() == arrays.fingerprint()
    assert replace(arrays, costs=arrays.costs + 0.01).fingerprint() != arrays.fingerprint()
    assert labelled[::-1].arrays().fingerprint() != arrays.fingerprint()


def test_an_objective_without_its_solution_is_not_taken_for_one(labelled):
    from dataclasses import replace

    from multicut.datasets import DatasetArrays

    bare = replace(labelled[:1].arrays(), cut=None)
    alone = Dataset(bare)[0]
    assert alone.objective == labelled[0].objective
    assert alone.cut is None
    for mixed in (
        Dataset.from_problems([alone, labelled[1]]),
        Dataset(DatasetArrays.concatenate([bare, labelled[1:2].arrays()])),
    ):
        assert mixed.labelled.all()
        assert mixed[0].cut is None
    unknown = replace(bare, objective=np.array([np.nan]), lower_bound=np.array([-np.inf]))
    both = Dataset(DatasetArrays.concatenate([unknown, labelled[1:2].arrays()]))
    assert both[0].cut is None
    assert np.array_equal(both[1].cut, labelled[1].cut)


def test_results_of_other_problems_are_refused(labelled):
    with pytest.raises(ValueError, match="got 0 results for 12 graphs"):
        labelled.with_results([])
    results = mc.solve_batch([labelled[0]], "gaec")
    with pytest.raises(ValueError, match="results must be in the order of the graphs"):
        Dataset.from_problems([mc.Problem([[0, 1]], [1.0])], results)


def test_whatever_is_an_integer_is_an_index(labelled):
    torch = pytest.importorskip("torch")
    for index in (np.array(3), np.uint8(3), torch.tensor(3), -9):
        assert same(labelled[index], labelled[3])
    assert len(labelled[torch.tensor([1, 2])]) == 2
    for index in (True, np.True_, 1.5, np.array(1.0), None):
        with pytest.raises(TypeError, match="a dataset takes an integer"):
            labelled[index]


def test_new_results_are_not_ascribed_to_the_former_solver(labelled):
    assert labelled.info["labels"]["solver"] == "ilp"
    greedy = labelled.with_results(mc.solve_batch(labelled, "gaec"))
    assert "labels" not in greedy.info
    assert greedy.info["generator"] == labelled.info["generator"]
    limited = labelled[:2].label("klj", time_limit=float("inf"), num_workers=1)
    assert limited.info["labels"] == {"solver": "klj", "seed": 0, "time_limit": None}


def test_mistakes_are_named(labelled):
    with pytest.raises(TypeError, match="got one; put it into a list"):
        Dataset.from_problems(labelled[0])
    with pytest.raises(TypeError, match="problems must contain problems, got 7 at 1"):
        Dataset.from_problems([labelled[0], 7])
    for parts in ({}, [0.5, 0.5], 0.5):
        with pytest.raises(ValueError, match="parts must name at least one part, such as"):
            labelled.split(parts)
    with pytest.raises(ValueError, match="parts must be numbers of at least 0, got 'x' for 'a'"):
        labelled.split({"a": "x"})
    with pytest.raises(ValueError, match="seed must be at least 0"):
        labelled.split({"a": 1}, seed=-1)
