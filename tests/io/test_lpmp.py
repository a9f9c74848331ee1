"""LPMP and RAMA text."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError


def read_text(tmp_path: Path, text: str | bytes, format_name: str | None = None) -> mc.Problem:
    path = tmp_path / "problem.txt"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return mc.read(path, format=format_name)


def test_known_content(tmp_path: Path) -> None:
    text = "c made by hand\n\nMULTICUT\n# edges\n0 1 1.5\n\n  4\t1 -2e-3  \nc done\n1 3 inf"
    problem = read_text(tmp_path, text)
    assert problem.num_nodes == 5
    assert not problem.has_own_ids
    assert problem.edges.tolist() == [[0, 1], [4, 1], [1, 3]]
    assert problem.costs.tolist() == [1.5, -0.002, np.inf]


def test_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    problem = read_text(tmp_path, b"\xef\xbb\xbfMULTICUT\r\n0 1 +2\r\n1 2 -1\r\n")
    assert problem == mc.Problem([[0, 1], [1, 2]], [2, -1])


def test_header_alone_is_the_empty_graph(tmp_path: Path) -> None:
    assert read_text(tmp_path, "MULTICUT\n") == mc.Problem([], [])


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("MULTICUT\n0 1 1\n0 2\n", 3, "expected 3 columns, got 2: '0 2'"),
        ("MULTICUT\n0 1 1 7\n", 2, "expected 3 columns, got 4: '0 1 1 7'"),
        ("MULTICUT\n\n0 1 x\n", 3, "the cost must be a number, got 'x'"),
        ("MULTICUT\n0 1 1,5\n", 2, "the cost must be a number, got '1,5'; write decimals with a"),
        ("MULTICUT\n0 1 nan\n", 2, "costs must not be nan, got 'nan'; drop the edge or impute it"),
        ("MULTICUT\n0 1 1e999\n", 2, "the cost '1e999' does not fit a double; scale the costs"),
        ("MULTICUT\n0 1.5 1\n", 2, "a node id must be an integer from 0 to 2^63-1, got '1.5'"),
        ("MULTICUT\n0 -1 1\n", 2, "a node id must be an integer from 0 to 2^63-1, got '-1'"),
        ("MULTICUT\n0 9223372036854775808 1\n", 2, "a node id must be an integer from 0 to 2^63-1"),
        ("MULTICUT\n0 1 1\n\x00\x01\x02\n", 3, "expected 3 columns, got 1: '???'"),
        ("MULTICUT\n# multicut num_nodes many\n", 2, "num_nodes must be a non-negative integer"),
        ("MULTICUT\n# multicut node_ids 1 -2\n", 2, "node_ids must be non-negative integers"),
    ],
)
def test_bad_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    expected = f"{tmp_path / 'problem.txt'}:{line}: {message}"
    with pytest.raises(FormatError, match=re.escape(expected)) as caught:
        read_text(tmp_path, text)
    assert caught.value.line == line


@pytest.mark.parametrize("text", ["MULTICUTS\n0 1 1\n", "0 1 1\n"])
def test_wrong_header(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match=r"problem\.txt:1: expected the line MULTICUT, got '"):
        read_text(tmp_path, text, "lpmp")


def test_huge_id_is_not_taken_for_a_number_of_nodes(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="states 2000000001 nodes but only 1 edges"):
        read_text(tmp_path, "MULTICUT\n0 2000000000 1\n")


def test_contradiction_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"problem\.txt: .*must-link"):
        read_text(tmp_path, "MULTICUT\n0 1 inf\n1 0 -inf\n")


def test_written_text(tmp_path: Path) -> None:
    path = tmp_path / "problem.txt"
    mc.write(mc.Problem([[1, 0], [1, 2]], [0.1, -np.inf]), path)
    assert path.read_text() == "MULTICUT\n1 0 0.1\n1 2 -inf\n"


def test_notes_only_where_needed(tmp_path: Path) -> None:
    path = tmp_path / "problem.txt"
    mc.write(mc.Problem([[0, 1]], [1], num_nodes=3), path)
    assert path.read_text() == "MULTICUT\n# multicut num_nodes 3\n0 1 1\n"
    mc.write(mc.Problem([[70, 30]], [1]), path)
    assert path.read_text() == "MULTICUT\n# multicut node_ids 30 70\n1 0 1\n"


def test_node_ids_must_be_unique_and_enough(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="gives several nodes the same name"):
        read_text(tmp_path, "MULTICUT\n# multicut node_ids 5 5\n0 1 1\n")
    with pytest.raises(FormatError, match="num_nodes=2 allows node ids below that"):
        read_text(tmp_path, "MULTICUT\n# multicut node_ids 5 6\n0 2 1\n")
