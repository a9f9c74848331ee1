from __future__ import annotations

import os
import subprocess

import pytest


@pytest.fixture
def odd_file(tmp_path):
    """Ids with gaps, a duplicate, a self-loop, constraints, a zero, two components."""
    path = tmp_path / "odd.txt"
    path.write_text("10 20 1\n20 10 1.5\n20 30 -4\n30 30 7\n30 40 inf\n10 40 -inf\n7 8 0\n")
    return path


def test_statistics(multicut, odd_file):
    document = multicut("info", odd_file, "--json").json()
    (entry,) = document["problems"]
    assert document["file"] == str(odd_file)
    assert document["format"] == "edges"
    assert entry["num_nodes"] == 6
    assert entry["num_edges"] == 5
    assert entry["num_attractive"] == 1
    assert entry["num_repulsive"] == 1
    assert entry["num_zero"] == 1
    assert entry["num_must_link"] == 1
    assert entry["num_cannot_link"] == 1
    assert (entry["cost_min"], entry["cost_mean"], entry["cost_max"]) == (-4, -0.5, 2.5)
    assert (entry["num_components"], entry["largest_component"]) == (2, 4)
    assert (entry["degree_min"], entry["degree_max"]) == (1, 2)
    assert entry["num_self_loops_dropped"] == 1
    assert entry["num_duplicates_merged"] == 1
    assert entry["has_own_ids"]
    assert (entry["id_first"], entry["id_last"]) == (7, 40)


def test_the_same_for_people(multicut, odd_file):
    outcome = multicut("info", odd_file)
    assert outcome.code == 0
    assert "1 self-loop; 1 duplicate merged" in outcome.stdout
    assert "7 … 40, mapped to indices" in outcome.stdout
    assert "-4 … 2.5, mean -0.5" in outcome.stdout


def test_several_problems_are_listed(multicut, packed_file):
    outcome = multicut("info", packed_file)
    assert "2 problems" in outcome.stdout
    assert "triangle" in outcome.stdout
    entries = multicut("info", packed_file, "--json").json()["problems"]
    assert [(e["name"], e["num_nodes"], e["num_edges"]) for e in entries] == [
        ("triangle", 3, 3),
        ("pair", 2, 1),
    ]


def test_one_of_several(multicut, packed_file):
    outcome = multicut("info", packed_file, "--instance", "triangle", "--json")
    assert [entry["num_edges"] for entry in outcome.json()["problems"]] == [3]


def test_no_nodes(multicut, tmp_path):
    path = tmp_path / "empty.txt"
    path.write_text("MULTICUT\n")
    lines = multicut("info", path).stdout.splitlines()
    assert lines[-1] == "node ids      none"


def test_pipe(multicut, tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = subprocess.Popen(["/bin/sh", "-c", f"printf '0 1 2\\n' > '{path}'"])
    try:
        assert multicut("info", path, "--json").json()["format"] == "edges"
    finally:
        writer.wait(timeout=10)


def test_lifted_edges_are_described(multicut, tmp_path):
    path = tmp_path / "lifted.csv"
    path.write_text("u,v,cost,lifted\n0,1,1,0\n1,2,2,0\n0,2,-3,1\n0,1,0.5,1\n1,2,-inf,1\n")
    shown = multicut("info", path).stdout
    assert "3: 1 attractive, 1 repulsive, 0 must-links, 1 cannot-link" in shown
    assert "-3 … 0.5, mean -1.25" in shown
    (entry,) = multicut("info", path, "--json").json()["problems"]
    assert (entry["num_edges"], entry["num_lifted_edges"]) == (2, 3)
    assert entry["num_lifted_cannot_link"] == 1


def test_ordinary_problems_show_no_lifted_edges(multicut, odd_file):
    assert "lifted" not in multicut("info", odd_file).stdout
    (entry,) = multicut("info", odd_file, "--json").json()["problems"]
    assert (entry["num_lifted_edges"], entry["lifted_cost_min"]) == (0, None)
