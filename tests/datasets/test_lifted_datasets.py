"""Datasets of problems with lifted edges."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest

import multicut as mc
from multicut.datasets import Dataset, Job, describe_dataset, generate, run_job
from multicut.datasets.arrays import DatasetArrays
from multicut.io import FormatError
from multicut.nn import GraphBatch
from multicut.training.device_dataset import DeviceDataset
from multicut.training.named_graphs import fresh_graphs
from tests.problems import optimum


@pytest.fixture(scope="module")
def mixed() -> Dataset:
    """Graphs with and without lifted edges, in turn."""
    lifted = generate(
        "lifted-planted", 3, min_nodes=6, max_nodes=8, mean_degree=2.0, lifted_degree=2.0
    )
    others = generate("planted", 2, min_nodes=6, max_nodes=8)
    return Dataset.from_problems([lifted[0], others[0], lifted[1], others[1], lifted[2]])


def same(dataset: Dataset, problems: list[mc.Problem]) -> bool:
    return len(dataset) == len(problems) and all(a == b for a, b in zip(dataset, problems))  # noqa: B905


def test_parts_keep_lifted_edges(mixed):
    problems = list(mixed)
    assert [problem.is_lifted for problem in problems] == [True, False, True, False, True]
    assert mixed.num_lifted_edges.tolist() == [p.num_lifted_edges for p in problems]
    assert same(mixed[1:4], problems[1:4])
    assert same(mixed[[4, 1, 0]], [problems[4], problems[1], problems[0]])
    joined = DatasetArrays.concatenate([mixed[3:].arrays(), mixed[:2].arrays()])
    assert same(Dataset(joined), problems[3:] + problems[:2])
    plain = DatasetArrays.concatenate([mixed[1:2].arrays(), mixed[3:4].arrays()])
    assert plain.lifted_edges is None
    assert all(pickle.loads(pickle.dumps(problem)) == problem for problem in problems)
    assert "lifted edges" in repr(problems[0])
    assert "lifted edges" in repr(mixed.arrays())


def test_disk_keeps_lifted_edges(mixed, tmp_path):
    mixed.save(tmp_path / "set")
    again = Dataset.load(tmp_path / "set", verify=True)
    assert same(again, list(mixed))
    assert again.arrays().fingerprint() == mixed.arrays().fingerprint()
    header = json.loads((tmp_path / "set" / "header.json").read_text())
    assert header["num_lifted_edges"] == int(mixed.num_lifted_edges.sum())
    assert mc.read(tmp_path / "set", instance=2) == mixed[2]


def test_datasets_without_lifted_edges_have_no_files_for_them(mixed, tmp_path):
    Dataset.from_problems([mixed[1], mixed[3]]).save(tmp_path / "set")
    assert not list((tmp_path / "set").glob("lifted*"))
    assert "num_lifted_edges" not in (tmp_path / "set" / "header.json").read_text()
    assert not Dataset.load(tmp_path / "set").is_lifted


def test_incomplete_files_are_named(mixed, tmp_path):
    mixed.save(tmp_path / "set")
    header_file = tmp_path / "set" / "header.json"
    header = json.loads(header_file.read_text())
    shortened = np.load(tmp_path / "set" / "lifted_offsets.npy")
    shortened[-1] += 1
    np.save(tmp_path / "set" / "lifted_offsets.npy", shortened)
    with pytest.raises(FormatError, match=r"lifted_offsets\.npy: must ascend from 0 to"):
        Dataset.load(tmp_path / "set")
    del header["arrays"]["lifted_costs"]
    header_file.write_text(json.dumps(header))
    with pytest.raises(FormatError, match="must name all of lifted_offsets, lifted_edges, lifted"):
        Dataset.load(tmp_path / "set")


def test_the_fingerprint_depends_on_lifted_edges(mixed):
    problem = mixed[0]
    others = [
        mc.Problem(problem.edges, problem.costs, problem.num_nodes, **lifted)
        for lifted in (
            {},
            {"lifted_edges": problem.lifted_edges, "lifted_costs": problem.lifted_costs + 1},
            {"lifted_edges": problem.lifted_edges[1:], "lifted_costs": problem.lifted_costs[1:]},
            {"lifted_edges": problem.lifted_edges, "lifted_costs": problem.lifted_costs},
        )
    ]
    prints = [Dataset.from_problems([each]).arrays().fingerprint() for each in others]
    assert len(set(prints)) == len(prints)
    assert prints[-1] == mixed[:1].arrays().fingerprint()


def test_statistics_count_both_kinds_of_edges():
    problem = mc.Problem([[0, 1], [1, 2]], [1.0, 2.0], lifted_edges=[[0, 2]], lifted_costs=[-4.0])
    ordinary = mc.Problem([[0, 1]], [-1.0])
    found = describe_dataset(Dataset.from_problems([problem, ordinary]))
    assert (found.num_edges.mean, found.num_lifted_edges.mean) == (1.5, 0.5)
    assert found.cost_min.mean == -2.5
    assert found.all_cut == pytest.approx((-1 / 3 - 1) / 2)
    assert describe_dataset(Dataset.from_problems([ordinary])).num_lifted_edges is None


@pytest.mark.parametrize("both_directions", [True, False])
def test_pyg_has_lifted_edges(mixed, both_directions):
    pytest.importorskip("torch_geometric")
    for problem, data in zip(mixed, mixed.to_pyg(both_directions=both_directions), strict=True):
        again = mc.Problem.from_pyg(data)
        assert np.array_equal(again.lifted_edges, problem.lifted_edges)
        np.testing.assert_allclose(again.lifted_costs, problem.lifted_costs, rtol=1e-6)
    batch = mixed.to_batch(both_directions=False)
    assert batch.lifted_edge_index.shape == (2, mixed.num_lifted_edges.sum())
    assert batch.lifted_edge_index.max() > mixed.num_nodes.max()


def test_networks_refuse_lifted_edges(mixed):
    with pytest.raises(ValueError, match="networks take no lifted edges, got"):
        GraphBatch.from_problems(mixed[0])
    with pytest.raises(ValueError, match="networks take no lifted edges, which graphs of 'lifted"):
        fresh_graphs("lifted-planted:fresh", seed=0)
    with pytest.raises(ValueError, match="networks take no lifted edges; train on problems"):
        DeviceDataset(mixed.arrays(), "cpu")


def test_the_truth_is_a_good_partition_of_what_is_drawn():
    """Lifted edges are evidence for the objects, not noise alone."""
    dataset = generate("lifted-grid-2d", 20, noise=0.0, lifted_noise=0.0)
    for problem in dataset:
        clusters = mc.partition.labels_of_cut(problem, problem.costs < 0)
        low, high = problem.lifted_edges.T
        # Objects are convex, so that their pixels are connected but for a few at corners.
        agrees = (clusters[low] == clusters[high]) == (problem.lifted_costs > 0)
        assert agrees.mean() > 0.95


def test_hidden_objects_have_no_detections():
    visible = generate("lifted-tracking", 1, occlusion=0, min_objects=5, max_objects=5)[0]
    hidden = generate("lifted-tracking", 1, occlusion=4, min_objects=5, max_objects=5)[0]
    assert visible.num_nodes == 5 * 16
    assert hidden.num_nodes == 5 * 12


def test_labelling_stores_lifted_edges_and_proven_optima(tmp_path):
    small = {"min_nodes": 6, "max_nodes": 7, "mean_degree": 3.0, "lifted_degree": 2.0}
    job = Job("lifted-planted", num=5, solver="ilp", chunk_size=2, options=small)
    run_job(job, tmp_path / "set")
    dataset = Dataset.load(tmp_path / "set", verify=True)
    assert same(dataset, list(generate("lifted-planted", 5, **small)))
    assert dataset.is_lifted
    assert dataset.optimal.all()
    for problem in dataset:
        assert problem.objective == pytest.approx(optimum(problem), abs=1e-9)
        assert problem.objective == mc.objective(problem, problem.labels)


def test_labelling_refuses_solvers_that_take_no_lifted_edges():
    with pytest.raises(ValueError, match="solver 'gnn' does not take lifted edges; use"):
        Job("lifted-planted", num=5, solver="gnn")
