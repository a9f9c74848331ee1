"""CP-Lib."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError


def read_text(tmp_path: Path, text: str, format_name: str | None = None) -> mc.Problem:
    path = tmp_path / "problem.txt"
    path.write_text(text)
    return mc.read(path, format=format_name)


@pytest.mark.parametrize(
    "text",
    ["4\n1 -2 3\n4 5.5\n-6\n", " 4 \n\n1 -2\n3 4 5.5 -6", "4\r\n1\t-2\t3\r\n4 5.5\r\n-6\r\n"],
)
def test_known_content(tmp_path: Path, text: str) -> None:
    problem = read_text(tmp_path, text)
    assert problem.edges.tolist() == [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]
    assert problem.costs.tolist() == [1, -2, 3, 4, 5.5, -6]


def test_zero_weights_are_edges(tmp_path: Path) -> None:
    assert read_text(tmp_path, "3\n0 0\n1\n").num_edges == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4\n1 -2 3\n4 5\n", ":1: 4 nodes have 6 pairs, but 5 weights follow"),
        ("2\n1\n2\n", ":1: 2 nodes have 1 pairs, but 2 weights follow"),
        ("1000000000000\n1\n", ":1: 1000000000000 nodes have 499999999999500000000000 pairs"),
        ("2\nx\n", ":2: the cost must be a number, got 'x'"),
        ("2\nnan\n", ":2: costs must not be nan"),
    ],
)
def test_bad_file(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, text)
    assert str(caught.value).startswith(f"{tmp_path / 'problem.txt'}{message}")


@pytest.mark.parametrize("text", ["-3\n", "2.5\n1\n", "inf\n", "# none\n"])
def test_bad_number_of_nodes(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match=":1: expected the number of nodes"):
        read_text(tmp_path, text, "cplib")


def test_written_text(tmp_path: Path) -> None:
    path = tmp_path / "problem.cplib"
    mc.write(mc.Problem([[2, 1], [0, 1], [2, 3]], [0.1, -7, np.inf]), path)
    assert path.read_text() == "4\n-7 0 0\n0.1 0\ninf\n"


def test_objective_survives_missing_pairs(tmp_path: Path) -> None:
    problem = mc.datasets.randommp(30)
    mc.write(problem, tmp_path / "problem.cplib")
    complete = mc.read(tmp_path / "problem.cplib")
    labels = np.random.default_rng(0).integers(0, 4, 30)
    assert mc.objective(complete, labels) == pytest.approx(mc.objective(problem, labels), rel=1e-12)


def test_too_many_pairs_to_write(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format 'cplib' states all pairs"):
        mc.write(mc.Problem([[0, 1]], [1], num_nodes=100_000), tmp_path / "problem.cplib")
    assert list(tmp_path.iterdir()) == []
