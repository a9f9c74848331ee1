"""PACE cluster editing."""

from __future__ import annotations

from pathlib import Path

import pytest

import multicut as mc
from multicut.io import FormatError


def read_text(tmp_path: Path, text: str) -> mc.Problem:
    path = tmp_path / "problem.gr"
    path.write_text(text)
    return mc.read(path)


def test_known_content(tmp_path: Path) -> None:
    problem = read_text(tmp_path, "c made by hand\np cep 4 3\n1 2\nc middle\n3 2\n\n1 4\n")
    assert problem.edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert problem.costs.tolist() == [1, -1, 1, 1, -1, -1]


def test_edits_are_cut_cost_plus_missing_pairs(tmp_path: Path) -> None:
    # A path of three nodes becomes a cluster graph by one edit.
    problem = read_text(tmp_path, "p cep 3 2\n1 2\n2 3\n")
    edits = min(mc.objective(problem, labels) for labels in ([0, 0, 0], [0, 0, 1], [0, 1, 1])) + 1
    assert edits == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p cep 3 2\n1 2\n", ":1: announces 2 edges, but 1 follow"),
        ("p cep 3 1\n1 2\n2 3\n", ":1: announces 1 edge, but 2 follow"),
        ("c x\np cep 1000000000 0\n", ":2: 1000000000 nodes are too many for a complete graph"),
        ("p edge 3 0\n", ":1: expected 'p cep NODES EDGES', got 'p edge 3 0'"),
        ("p cep 3\n", ":1: expected 'p cep NODES EDGES', got 'p cep 3'"),
        ("p cep 3 -1\n", ":1: expected 'p cep NODES EDGES', got 'p cep 3 -1'"),
        ("p cep 3 1\n\n1 4\n", ":3: a node is outside 1 … 3"),
        ("p cep 3 1\nc x\n0 1\n", ":3: a node is outside 1 … 3"),
        ("p cep 3 2\n1 2\n2 1\n", ":3: a pair occurs twice, or a node with itself"),
        ("p cep 3 2\n1 2\n3 3\n", ":3: a pair occurs twice, or a node with itself"),
        ("p cep 3 1\n1 2 3\n", ":2: expected 2 columns, got 3: '1 2 3'"),
        ("p cep 3 1\n1 x\n", ":2: a node id must be an integer from 0 to 2^63-1, got 'x'"),
    ],
)
def test_bad_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'problem.gr'}{message}")


def test_written_text(tmp_path: Path) -> None:
    path = tmp_path / "problem.gr"
    mc.write(mc.Problem([[2, 1], [0, 1], [2, 0]], [1, 1, -1]), path)
    assert path.read_text() == "p cep 3 2\n1 2\n2 3\n"


@pytest.mark.parametrize(
    ("num_nodes", "cost", "message"),
    [
        (3, 1, "complete graphs only: 3 nodes have 3 pairs, the problem 1 edges"),
        (2, 2, r"costs of \+1 and -1 only, got 2.0"),
        (2, float("inf"), r"costs of \+1 and -1 only, got inf"),
    ],
)
def test_cannot_be_written(tmp_path: Path, num_nodes: int, cost: float, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        mc.write(mc.Problem([[0, 1]], [cost], num_nodes=num_nodes), tmp_path / "problem.gr")
    assert list(tmp_path.iterdir()) == []


def test_thousands_of_nodes(tmp_path: Path) -> None:
    problem = read_text(tmp_path, "p cep 2000 1\n1999 2000\n")
    assert problem.num_edges == 1_999_000
    assert problem.costs[-1] == 1
    assert problem.costs.sum() == -1_998_998
