from __future__ import annotations

import json

import pytest

import multicut as mc


def test_quick_benchmark_writes_markdown_and_json(multicut, tmp_path):
    outcome = multicut("bench", "solvers", "--quick", "--output", tmp_path / "new")
    assert outcome.code == 0
    document = json.loads((tmp_path / "new" / "solvers.json").read_text())
    assert {"command", "date", "cpu", "multicut", "bioimage-cpp"} <= set(document["environment"])
    assert document["environment"]["command"].startswith("multicut bench solvers --quick")
    row = document["rows"][0]
    expected = mc.solve(mc.datasets.randommp(200, seed=0), "gaec").objective
    assert (row["instances"], row["solver"]) == ("RandomMP 200", "gaec")
    assert row["ours"]["objective"] == pytest.approx(expected)
    lines = (tmp_path / "new" / "solvers.md").read_text().splitlines()
    table = [line for line in lines if line.startswith("|")]
    assert len(table) == len(document["rows"]) + 2
    assert len({line.count("|") for line in table}) == 1


def test_one_solver_on_given_sizes_without_peer(multicut):
    outcome = multicut(
        "bench", "solvers", "--quick", "--no-peer", "--sizes", "50,1e2", "-s", "gaec"
    )
    assert "RandomMP 50" in outcome.stdout
    assert "RandomMP 100" in outcome.stdout
    assert "klj" not in outcome.stdout


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--sizes", "many"], "--sizes must be whole numbers"),
        (["--sizes", "1"], "from 2 to"),
        (["--sizes", "10.5"], "whole numbers"),
        (["--sizes", "100,1e400"], "got 1e400"),
        (["--sizes", "nan"], "got nan"),
        (["--solver", "auto"], "choose from: gaec"),
        (["--output", "/dev/null/results"], "--output"),
        (["--data", "nowhere"], "--data 'nowhere'"),
        (["--solver", "geac"], "unknown solver 'geac'"),
    ],
)
def test_bad_arguments(multicut, arguments, expected):
    outcome = multicut("bench", "solvers", *arguments)
    assert outcome.code == 2
    assert outcome.stderr.count("\n") == 1
    assert expected in outcome.stderr


def test_damaged_data_is_left_out(multicut, tmp_path):
    (tmp_path / "em").mkdir()
    (tmp_path / "em" / "damaged.npz").write_bytes(b"PK\x03\x04 and then nothing")
    (tmp_path / "em" / "empty.npz").write_bytes(b"")
    mc.io.write_all([], tmp_path / "em" / "none.npz")
    arguments = ("--quick", "--no-peer", "--sizes", "50", "-s", "gaec", "--data", tmp_path)
    outcome = multicut("bench", "solvers", *arguments)
    assert outcome.code == 0
    assert "RandomMP 50" in outcome.stdout
    for name in ("damaged", "empty", "none"):
        assert f"warning: em/{name} is left out: " in outcome.stderr
