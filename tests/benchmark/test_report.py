from __future__ import annotations

import json

import pytest

from multicut.benchmark import Report, Row, write_report
from multicut.benchmark.report import (
    COLUMNS,
    NOT_INSTALLED,
    SCREEN_COLUMNS,
    describe_environment,
)
from multicut.benchmark.run import Side

OURS = Side(0.001, 0.004, -102.0, 7, 1.0, 2_000_000)
PEER = Side(0.010, 0.015, -100.0, 8, 0.98, 5_000_000)


def row(peer: Side | None = PEER, num_graphs: int = 1) -> Row:
    return Row("some graphs", num_graphs, 50, 120, "gaec", OURS, peer, 1, 0)


def report(*rows: Row, peer_version: str = "0.9.0") -> Report:
    return Report(rows, {"bioimage-cpp": peer_version, "command": "multicut bench solvers"})


def test_ratio_and_speedup():
    assert row().speedup == pytest.approx(5)
    assert row().ratio == pytest.approx(1.02)


def test_cells_of_a_full_row():
    (texts,) = report(row()).cells()
    assert tuple(texts) == COLUMNS
    assert set(SCREEN_COLUMNS) <= set(COLUMNS)
    assert texts["total ms"] == "5"
    assert texts["peer total"] == "25"
    assert texts["speed-up"] == "5.0x"
    assert texts["ratio"] == "1.02000"
    assert (texts["MB"], texts["peer MB"]) == ("2.0", "5.0")
    assert texts["mean ratio"] == "–"  # noqa: RUF001


def test_mean_ratio_of_several_graphs():
    (texts,) = report(row(num_graphs=3)).cells()
    assert (texts["mean ratio"], texts["peer mean"]) == ("1.00000", "0.98000")


def test_missing_peer_is_told_apart_from_a_peer_left_out():
    (left_out,) = report(row(peer=None)).cells()
    (missing,) = report(row(peer=None), peer_version=NOT_INSTALLED).cells()
    assert left_out["peer total"] == "–"  # noqa: RUF001
    assert missing["peer total"] == "not installed"


def test_files(tmp_path):
    page, document = write_report(report(row(), row(peer=None)), tmp_path / "results")
    lines = [line for line in page.read_text().splitlines() if line.startswith("|")]
    assert [line.count("|") for line in lines] == [len(COLUMNS) + 1] * 4
    rows = json.loads(document.read_text())["rows"]
    assert rows[0]["ours"]["objective"] == -102
    assert rows[0]["peer_solver"] == "GreedyAdditiveMulticut"
    assert rows[1]["peer"] is rows[1]["speedup"] is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("--data /home/me/data --output results/new", "--data …/data --output results/new"),
        ("--data=/home/me/data", "--data=…/data"),
        ("'/home/me/my graphs' 'two words'", "'…/my graphs' 'two words'"),
        ("--set 'a=b c'", "--set 'a=b c'"),
    ],
)
def test_commands_do_not_say_where_folders_of_a_machine_are(given, expected):
    found = describe_environment(f"multicut bench solvers {given}")
    assert found["command"] == f"multicut bench solvers {expected}"
