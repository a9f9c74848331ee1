"""What holds for every registered generator."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import multicut as mc
from multicut.datasets import draw_graph, generate, get_generator, list_generators

NAMES = [record.name for record in list_generators()]
SMALL = {"scaling": {"num_nodes": 500}}


def draw(name, num=6, **arguments):
    return generate(name, num, **arguments, **SMALL.get(name, {}))


@pytest.mark.parametrize("name", NAMES)
def test_graphs_are_simple_sorted_and_finite(name):
    dataset = draw(name, 12)
    for problem in dataset:
        u, v = problem.edges.T
        assert (u < v).all()
        keys = u * problem.num_nodes + v
        assert (np.diff(keys) > 0).all()
        assert v.max(initial=-1) < problem.num_nodes
        assert np.isfinite(problem.costs).all()
        assert problem.positions is None or np.isfinite(problem.positions).all()
        assert problem.is_lifted is get_generator(name).is_lifted
        low, high = problem.lifted_edges.T
        assert (low < high).all()
        lifted_keys = low * problem.num_nodes + high
        assert (np.diff(lifted_keys) > 0).all()
        assert not np.isin(lifted_keys, keys).any()
        assert np.isfinite(problem.lifted_costs).all()
    assert len(set(dataset.num_nodes.tolist())) > 1 or name == "scaling"
    costs = dataset.arrays().costs
    assert (costs > 0).mean() > 0.1
    assert (costs < 0).mean() > 0.1


@pytest.mark.parametrize("name", NAMES)
def test_a_graph_depends_on_nothing_but_its_index(name):
    whole = draw(name, 6, seed=3)
    assert [draw(name, 1, seed=3, start=i)[0] for i in (4, 0)] == [whole[4], whole[0]]
    alone = draw_graph(name, 4, seed=3, **SMALL.get(name, {}))
    assert alone.to_problem() == whole[4]
    assert draw(name, 4, seed=3, start=2).names == whole[2:].names


@pytest.mark.parametrize("name", NAMES)
def test_seed_split_and_index_all_matter(name):
    graphs = [
        draw(name, 1, seed=seed, split=split, start=index)[0].costs.tobytes()
        for seed in (0, 1)
        for split in ("train", "valid", "test")
        for index in (0, 1)
    ]
    assert len(set(graphs)) == len(graphs)


# Written once, by `generate(name, 20, seed=7, split="valid").arrays().fingerprint()`: if one of
# these changes, everybody's datasets change, and the labels in the package no longer fit.
FINGERPRINTS = {
    "irismp": "e60d1e3fdf0fdd4f",
    "randommp": "d7b7b31a480af4c5",
    "scaling": "2adff4ac9bdabdeb",
    "erdos-renyi": "1e258d94bcea7b89",
    "barabasi-albert": "011e19b2b9414174",
    "watts-strogatz": "650285f644dad21f",
    "grid-2d": "ff8edb5eb3f1a6ed",
    "grid-3d": "1a953a18d19c3ee6",
    "planted": "f65725299c848733",
    "voronoi": "ea6c0ecae4828d03",
    "point-cloud": "61c22e65a9f21a7c",
    "cluster-editing": "66c1dcbbe7d4f7d5",
    "lifted-grid-2d": "6bf75603bdc21f42",
    "lifted-grid-3d": "17532bb371a59819",
    "lifted-planted": "f3f59f4757a1de2f",
    "lifted-tracking": "17fb735dd3cfa0c7",
}


@pytest.mark.parametrize("name", NAMES)
def test_streams_never_change(name):
    assert draw(name, 20, seed=7, split="valid").arrays().fingerprint()[:16] == FINGERPRINTS[name]


@pytest.mark.parametrize("name", NAMES)
def test_every_option_is_documented_and_checked(name):
    record = get_generator(name)
    for field in dataclasses.fields(record.options):
        assert len(record.option_meanings[field.name]) > 5
        with pytest.raises((TypeError, ValueError), match=f"{field.name} must be"):
            record.options(**{field.name: "nonsense"})
        with pytest.raises((TypeError, ValueError), match=f"{field.name} must be"):
            record.options(**{field.name: float("nan")})


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="unknown generator 'randomp'; did you mean 'randommp'"):
        generate("randomp", 3)
    with pytest.raises(TypeError, match="no option 'nodes'; did you mean 'min_nodes'"):
        generate("planted", 3, nodes=4)
    with pytest.raises(ValueError, match="min_nodes must be at most max_nodes, got 90 and 80"):
        generate("planted", 3, min_nodes=90)
    with pytest.raises(ValueError, match="split must be one of train, valid, test, got 'eval'"):
        generate("planted", 3, split="eval")
    with pytest.raises(ValueError, match="num must be at least 0"):
        generate("planted", -1)
    with pytest.raises(ValueError, match="seed must be at least 0"):
        generate("planted", 1, seed=-1)
    with pytest.raises(TypeError, match=r"seed must be an integer, got 1\.5"):
        generate("planted", 1, seed=1.5)
    with pytest.raises(ValueError, match="mean_degree must be finite and at least 0, got inf"):
        generate("planted", 1, mean_degree=float("inf"))
    with pytest.raises(ValueError, match="costs must be one of gaussian, distance, got 'x'"):
        generate("randommp", 1, costs="x")
    with pytest.raises(ValueError, match="spread must be finite and at least 0, got -1"):
        generate("point-cloud", 1, spread=-1)
    with pytest.raises(
        ValueError, match=r"std_nodes must be between 0 and 100,000,000, got 1e\+30"
    ):
        generate("randommp", 1, std_nodes=1e30)
    for draw_one in (mc.datasets.randommp, mc.datasets.irismp):
        with pytest.raises(TypeError, match="seed must be an integer, got None"):
            draw_one(seed=None)


def test_patterns_choose_generators():
    assert [record.name for record in list_generators("grid*")] == ["grid-2d", "grid-3d"]
    lifted = [record.name for record in list_generators(lifted=True)]
    assert lifted == [name for name in NAMES if name.startswith("lifted-")]
    assert [record.name for record in list_generators("*grid-2d", lifted=False)] == ["grid-2d"]


def test_no_graphs():
    nothing = generate("randommp", 0)
    assert len(nothing) == 0
    assert nothing.arrays().edges.shape == (0, 2)
    assert isinstance(nothing.arrays().fingerprint(), str)


def test_generated_problems_can_be_solved():
    problem = generate("voronoi", 1)[0]
    assert isinstance(problem, mc.Problem)
    assert mc.solve(problem, "klj").objective < 0
