"""``multicut solve`` of edge tables."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.cli.solve.tables import parse_memory

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


@pytest.fixture
def problem() -> mc.Problem:
    return mc.datasets.randommp(120, seed=1)


@pytest.fixture
def edges(tmp_path, problem):
    u, v = problem.edges.T
    pq.write_table(pa.table({"u": u, "v": v, "cost": problem.costs}), tmp_path / "edges.parquet")
    return tmp_path / "edges.parquet"


def test_labels_are_written_and_the_result_is_printed(multicut, tmp_path, edges, problem):
    output = tmp_path / "labels.parquet"
    arguments = ("solve", edges, "-o", output, "--workers", 1, "--blocks", 3, "--bound")
    done = multicut(*arguments, "--rounds", 4, "--json")
    assert done.code == 0, done.stderr
    found = done.json()
    table = pq.read_table(output)
    labels = table["label"].to_numpy()
    assert table.column_names == ["node", "label"]
    assert found["objective"] == pytest.approx(mc.objective(problem, labels), rel=1e-12)
    assert found["lower_bound"] <= mc.solve(problem, "ilp").objective
    assert (found["solver"], found["num_clusters"]) == ("klj", labels.max() + 1)
    assert done.stderr == ""
    shown = multicut(*arguments)
    assert "Solving" in shown.stderr
    assert "in this process." in shown.stderr
    assert "solve level 0: 3 done" in shown.stderr
    assert f"Labels written to {output}." in shown.stderr
    assert "gap" in shown.stdout
    assert np.array_equal(pq.read_table(output)["label"].to_numpy(), labels)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "--output is needed for an edge table"),
        (("-o", "labels.csv"), "--output must end in one of .parquet"),
        (("-o", "labels.parquet", "--instance", "1"), "--instance is not for edge tables"),
        (("-o", "labels.parquet", "--blocks", "some"), "--blocks must be a number, stream or"),
        (("-o", "labels.parquet", "--rounds", "3"), "--rounds is for the bound; add --bound"),
        (("-o", "labels.parquet", "--memory", "much"), "--memory must be an amount such as 2GiB"),
        (("-o", "labels.parquet", "--solver", "gaek"), "gaek"),
    ],
)
def test_mistakes_are_one_line(multicut, tmp_path, monkeypatch, edges, arguments, message):
    monkeypatch.chdir(tmp_path)
    done = multicut("solve", edges, "--workers", 1, *arguments)
    assert done.code == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_options_of_tables_are_refused_for_other_files(multicut, tmp_path, problem):
    mc.write(problem, tmp_path / "problem.npz")
    done = multicut("solve", tmp_path / "problem.npz", "--cluster", "tcp://localhost:1")
    assert (done.code, done.stderr.count("\n")) == (2, 1)
    assert "--cluster is for edge tables" in done.stderr


def test_amounts_of_memory():
    assert parse_memory("2GiB") == 2 * 2**30
    assert parse_memory("1.5 GB") == 1_500_000_000
    assert parse_memory("1000") == 1000
