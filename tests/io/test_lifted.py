"""Files with lifted edges: layouts of other programs, columns, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import h5py
import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError

PROBLEM = mc.Problem(
    [[0, 1], [1, 2]], [1.5, -2], lifted_edges=[[0, 2], [2, 1]], lifted_costs=[0.5, np.inf]
)


def read_text(folder: Path, text: str, name: str = "problem.csv") -> mc.Problem:
    path = folder / name
    path.write_text(text)
    return mc.read(path)


@pytest.mark.parametrize(
    "text",
    [
        "u,v,cost,lifted\n0,1,1.5,0\n1,2,-2,0\n0,2,0.5,1\n2,1,inf,1\n",
        "lifted;cost;u;v\nfalse;1.5;0;1\nTrue;0.5;0;2\nFALSE;-2;1;2\ntrue;inf;2;1\n",
        'u v cost is_lifted\n0 1 1.5 "0"\n1 2 -2 0\n0 2 0.5 1\n2 1 inf "1"\n',
    ],
)
def test_a_column_tells_lifted_edges_from_others(tmp_path: Path, text: str) -> None:
    assert read_text(tmp_path, text) == PROBLEM


def test_ids_of_lifted_rows_are_nodes_too(tmp_path: Path) -> None:
    problem = read_text(tmp_path, "u,v,cost,lifted\n10,30,1,0\n30,20,-1,1\n")
    assert problem.node_ids.tolist() == [10, 20, 30]
    assert problem.edges.tolist() == [[0, 2]]
    assert problem.lifted_edges.tolist() == [[2, 1]]
    names = read_text(tmp_path, "u,v,cost,lifted\na,b,1,0\nb,c,-1,1\n")
    assert names.node_ids.tolist() == ["a", "b", "c"]
    assert names.lifted_edges.tolist() == [[1, 2]]


def test_named_nodes_with_lifted_edges_come_back(tmp_path: Path) -> None:
    problem = mc.Problem(
        [["a", "b"], ["b", "x y"]],
        [1.0, 2.0],
        node_ids=["z", "x y", "b", "a"],
        lifted_edges=[["x y", "z"]],
        lifted_costs=[-1.0],
    )
    for name in ("problem.csv", "problem.tsv", "problem.edges", "problem.npz"):
        mc.write(problem, tmp_path / name)
        assert mc.read(tmp_path / name) == problem


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "u,v,cost,lifted\n0,1,1,0\n0,1,1,2\n",
            ":3: column 'lifted' must contain 0 or 1, got '2'",
        ),
        ("u,v,cost,lifted\n0,1,1,0\n0,1,1,\n", ":3: column 'lifted' must contain 0 or 1, got ''"),
        ("u,v,cost,lifted,is_lifted\n0,1,1,0,1\n", ":1: the header names several columns 'lifted'"),
        ("u,v,cost,lifted\n0,1,1,0\n0,2,inf,1\n", "nodes 0 and 2 must be linked"),
    ],
)
def test_bad_columns_are_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_text(tmp_path, text)


@pytest.mark.parametrize("count", ["3\n", ""])
def test_lpmp_text(tmp_path: Path, count: str) -> None:
    text = f"MULTICUT\n{count}0 1 1.5\n1 2 -2\n\nLIFTED\n0 2 0.5\n2 1 inf\n"
    assert read_text(tmp_path, text, "problem.txt") == PROBLEM
    if count:
        mc.write(PROBLEM, tmp_path / "written.txt")
        assert (tmp_path / "written.txt").read_text() == text.replace("\n\n", "\n")


def test_lpmp_text_of_an_older_version_states_the_number_of_nodes(tmp_path: Path) -> None:
    problem = read_text(tmp_path, "MULTICUT\n5\n0 1 1.5\n1 2 -2\n", "problem.txt")
    assert problem == mc.Problem([[0, 1], [1, 2]], [1.5, -2], num_nodes=5)


def test_lpmp_errors_name_the_line_of_a_lifted_edge(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"problem\.txt:5: the cost must be a number, got 'x'"):
        read_text(tmp_path, "MULTICUT\n0 1 1.5\nLIFTED\n0 1 2\n0 1 x\n", "problem.txt")


def andres_file(path: Path, **values: np.ndarray) -> Path:
    with h5py.File(path, "w") as file:
        for name, ends in (
            ("graph", [[0, 1], [1, 2]]),
            # Its own order and directions, and one pair that is no edge.
            ("graph-lifted", [[2, 1], [0, 2], [0, 1]]),
        ):
            group = file.create_group(name)
            group["graph-type-id"] = np.int32(10000)
            group["number-of-vertices"] = np.uint64(3)
            group["number-of-edges"] = np.uint64(len(ends))
            group["edges"] = np.array(ends, dtype=np.uint64).T.reshape(-1, 2)
        for name, value in values.items():
            file[name.replace("_", "-")] = value
    return path


def test_andres_values_belong_to_the_lifted_graph(tmp_path: Path) -> None:
    expected = mc.Problem([[0, 1], [1, 2]], [3.0, -2.0], lifted_edges=[[0, 2]], lifted_costs=[0.5])
    values = np.array([-2.0, 0.5, 3.0])
    path = tmp_path / "problem.h5"
    assert mc.read(andres_file(path, edge_values=values)) == expected
    # The library's option for values that are no probabilities.
    assert mc.read(andres_file(path, edge_cut_probabilities=values)) == expected


def test_andres_probabilities_become_costs(tmp_path: Path) -> None:
    probabilities = np.array([0.5, 0.9, 0.0])
    problem = mc.read(andres_file(tmp_path / "problem.h5", edge_cut_probabilities=probabilities))
    np.testing.assert_allclose(problem.costs, [np.log(254), 0.0])
    np.testing.assert_allclose(problem.lifted_costs, [np.log(0.1 / 0.9)])


def test_andres_edges_that_the_lifted_graph_lacks_cost_nothing(tmp_path: Path) -> None:
    path = andres_file(tmp_path / "problem.h5", edge_values=np.array([-2.0, 0.5, 3.0]))
    with h5py.File(path, "r+") as file:
        file["graph/edges"][...] = np.array([[0, 1], [1, 3]], dtype=np.uint64)
        file["graph/number-of-vertices"][...] = 4
        file["graph-lifted/number-of-vertices"][...] = 4
    problem = mc.read(path)
    assert problem.edges.tolist() == [[0, 1], [1, 3]]
    assert problem.costs.tolist() == [3.0, 0.0]
    assert problem.num_lifted_edges == 2


def test_andres_merges_a_lifted_edge_into_the_edge_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "problem.andres.h5"
    mc.write(PROBLEM, path)
    problem = mc.read(path)
    assert problem.costs.tolist() == [1.5, np.inf]
    assert problem.lifted_edges.tolist() == [[0, 2]]
    for labels in ([0, 0, 0], [0, 1, 1], [0, 0, 1]):
        assert mc.objective(problem, labels) == mc.objective(PROBLEM, labels)
    with h5py.File(path) as file:
        np.testing.assert_allclose(
            file["edge-cut-probabilities"][:], 1 / (1 + np.exp(file["edge-values"][:]))
        )


def test_npz_of_many_keeps_lifted_edges_apart(tmp_path: Path) -> None:
    ordinary = mc.Problem([[0, 1]], [1.0])
    path = tmp_path / "many.npz"
    mc.io.write_all({"a": PROBLEM, "b": ordinary, "c": PROBLEM}, path)
    assert mc.read_all(path) == {"a": PROBLEM, "b": ordinary, "c": PROBLEM}
    mc.io.write_all({"b": ordinary}, path)
    assert not any(key.startswith("lifted") for key in np.load(path))


def test_npz_of_one_problem(tmp_path: Path) -> None:
    arrays = {
        "edges": PROBLEM.edges,
        "costs": PROBLEM.costs,
        "lifted_edges": PROBLEM.lifted_edges,
        "lifted_costs": PROBLEM.lifted_costs,
    }
    np.savez(tmp_path / "one.npz", **arrays)
    assert mc.read(tmp_path / "one.npz") == PROBLEM
    del arrays["lifted_costs"]
    np.savez(tmp_path / "half.npz", **arrays)
    with pytest.raises(FormatError, match=r"lacks the array\(s\) lifted_costs; lifted edges need"):
        mc.read(tmp_path / "half.npz")


def test_limits_count_lifted_edges(tmp_path: Path) -> None:
    mc.write(PROBLEM, tmp_path / "problem.csv")
    limits = mc.io.ReadLimits(max_edges=3)
    opened = mc.io.open_file(tmp_path / "problem.csv", limits=limits)
    with pytest.raises(FormatError, match="4 edges"):
        dict(opened)


@pytest.mark.parametrize("row", ["0,1,1", "0,1,1x", "0,1,1,0,0"])
def test_rows_without_the_column_that_marks_lifted_edges(row: str) -> None:
    text = f"u,v,cost,lifted\n{row}\n".encode()
    with pytest.raises(FormatError, match="the header names 4 columns, but"):
        mc.read(io.BytesIO(text), format="edges")
