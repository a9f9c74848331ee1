from __future__ import annotations

import json

import pytest

from multicut.benchmark.lifted import CONTESTS


def test_quick_benchmark_writes_markdown_and_json(multicut, tmp_path):
    outcome = multicut("bench", "lifted", "--quick", "--sizes", "500", "--output", tmp_path / "new")
    assert outcome.code == 0
    document = json.loads((tmp_path / "new" / "lifted.json").read_text())
    assert document["environment"]["command"].startswith("multicut bench lifted --quick")
    assert {row["solver"] for row in document["rows"]} == set(CONTESTS)
    for row in document["rows"]:
        assert row["num_lifted"] > 0
        is_search = CONTESTS[row["solver"]].trace is not None
        if row["peer"] and is_search and row["ratio"] and row["ratio"] >= 1:
            ours = row["ours"]
            assert 0 < row["seconds_to_peer"] <= ours["build_seconds"] + ours["solve_seconds"]
        if row["peer"] and row["solver"] != "gaec" and not is_search:
            assert row["is_same"]  # there are no ties
            assert row["ours"]["objective"] == pytest.approx(row["peer"]["objective"])
    lines = (tmp_path / "new" / "lifted.md").read_text().splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == len(document["rows"]) + 2
    assert len({line.count("|") for line in table}) == 1


def test_one_contest_on_given_sizes_without_peer(multicut):
    outcome = multicut(
        "bench", "lifted", "--quick", "--no-peer", "--sizes", "200,4e2", "-s", "gasp average"
    )
    assert outcome.code == 0
    assert "grid 200" in outcome.stdout
    assert "tracking 400" in outcome.stdout
    assert "gasp min" not in outcome.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--sizes", "many"], "--sizes must be whole numbers"),
        (["--solver", "ilp"], "--solver ilp is unknown; choose from: gaec"),
        (["--output", "/dev/null/results"], "--output"),
    ],
)
def test_bad_arguments(multicut, arguments, expected):
    outcome = multicut("bench", "lifted", *arguments)
    assert outcome.code == 2
    assert outcome.stderr.count("\n") == 1
    assert expected in outcome.stderr
