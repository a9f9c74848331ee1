from __future__ import annotations

import csv
import json
import pickle

import networkx as nx
import numpy as np
import pytest

import multicut as mc

PROBLEM = mc.Problem([[10, 20], [20, 40], [10, 40]], [1.0, 2.0, -4.0])


@pytest.fixture
def result():
    return mc.solve(PROBLEM, "klj", seed=3)


def test_fields(result):
    assert result.labels.tolist() == [0, 1, 1]
    assert result.labels.dtype == np.int64
    assert result.cut.tolist() == [True, False, True]
    assert result.cut.dtype == bool
    assert result.objective == -3.0
    assert result.num_clusters == 2
    assert (result.solver, result.seed, result.stopped_by) == ("klj", 3, "converged")
    assert result.lower_bound is None
    assert result.gap is None
    assert result.trace[-1, 1] == -3.0
    assert 0 < result.trace[-1, 0] <= result.runtime


def test_arrays_are_read_only_and_the_record_frozen(result):
    for array in (result.labels, result.cut, result.trace):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        result.objective = 0


def test_gap_is_relative_to_the_objective(result):
    from dataclasses import replace

    assert replace(result, lower_bound=-3.0).gap == 0
    assert replace(result, lower_bound=-3.3).gap == pytest.approx(0.1)
    assert replace(result, lower_bound=-2.9999999).gap == 0


def test_summary_tells_the_essentials(result):
    text = result.summary()
    for part in ("klj (seed 3)", "objective", "-3", "2 of 3 nodes", "2 of 3", "not computed"):
        assert part in text


def test_repr_is_one_line(result):
    from dataclasses import replace

    timed = replace(result, runtime=0.25)
    assert repr(timed) == "Result(klj: objective -3, 2 clusters, 0.250 s)"
    assert repr(replace(timed, lower_bound=-3.0)) == (
        "Result(klj: objective -3, proven optimal, 2 clusters, 0.250 s)"
    )
    assert "gap 10.0000%" in repr(replace(timed, lower_bound=-3.3))
    one = replace(timed, num_clusters=1, objective=-1234.5)
    assert repr(one) == "Result(klj: objective -1,234.5, 1 cluster, 0.250 s)"


def test_printing_shows_the_first_lines_of_the_summary(result):
    from dataclasses import replace

    detailed = replace(result, details={"num": 1})
    assert str(detailed) == str(result) == result.summary()
    assert detailed.summary() == f"{result}\nnum          1"
    assert [line.split("  ")[0] for line in str(result).splitlines()] == [
        "solver",
        "objective",
        "lower bound",
        "clusters",
        "cut edges",
        "runtime",
    ]


def test_json_holds_everything(result):
    document = json.loads(result.to_json())
    assert document["node_ids"] == [10, 20, 40]
    assert document["labels"] == [0, 1, 1]
    assert document["cut_edges"] == [0, 2]
    assert document["objective"] == -3.0
    assert document["lower_bound"] is None
    assert document["trace"][-1][1] == -3.0


def test_json_of_named_nodes():
    graph = nx.Graph([("a", ("b", 2), {"weight": 1})])
    document = json.loads(mc.solve(mc.Problem.from_networkx(graph)).to_json())
    assert document["node_ids"] == ["a", "('b', 2)"]


def test_save(result, tmp_path):
    result.save(tmp_path / "labels.npy")
    assert np.load(tmp_path / "labels.npy").tolist() == [0, 1, 1]
    result.save(str(tmp_path / "labels.csv"))
    with (tmp_path / "labels.csv").open() as file:
        assert list(csv.reader(file)) == [["node", "label"], ["10", "0"], ["20", "1"], ["40", "1"]]
    result.save(tmp_path / "result.json")
    assert json.loads((tmp_path / "result.json").read_text())["objective"] == -3.0
    with pytest.raises(ValueError, match=r"use the suffix .npy, .csv or .json"):
        result.save(tmp_path / "labels.txt")


def test_clusters_partition_the_ids(result):
    assert [c.tolist() for c in result.clusters()] == [[10], [20, 40]]
    assert mc.solve(mc.Problem([], [])).clusters() == []


def test_pickle(result):
    copy = pickle.loads(pickle.dumps(result))
    assert copy.labels.tolist() == [0, 1, 1]
    assert copy.summary() == result.summary()


def test_summary_writes_details_for_reading(result):
    from dataclasses import replace

    details = {"objectives": {"gaec": -24.78144956969431, "klj": -25}, "seconds": 1 / 3}
    rows = replace(result, details=details).summary().splitlines()
    assert rows[-2].split(maxsplit=1) == ["objectives", "gaec -24.7814, klj -25"]
    assert rows[-1].split() == ["seconds", "0.33"]


def test_names_in_files(tmp_path):
    problem = mc.Problem([["Doe, Jane", "bob"], ["bob", "Ä"]], [1.0, -2.0])
    result = mc.solve(problem)
    result.save(tmp_path / "labels.csv")
    text = (tmp_path / "labels.csv").read_text(encoding="utf-8").split()
    assert text == ["node,label", '"Doe,', 'Jane",0', "bob,0", "Ä,1"]
    result.save(tmp_path / "result.json")
    document = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert dict(zip(document["node_ids"], document["labels"], strict=True)) == result.by_id()
