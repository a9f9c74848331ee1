"""``multicut train policy``."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("cmaes")

SMALL = [
    *("--family", "voronoi", "--num", 4, "--num-validation", 4),
    *("--generations", 2, "--population", 4),
]


def test_train_policy_then_solve(multicut, problem_file, tmp_path):
    path = tmp_path / "own.json"
    outcome = multicut("train", "policy", "-o", path, *SMALL, "--leave-out", "planted")
    assert outcome.code == 0
    assert "planted (left out)" in outcome.stdout
    assert "of a budget of 4" in outcome.stdout
    *_, told, command = outcome.stderr.splitlines()
    assert told == f"The policy is in {path}. Next:"
    assert command == f"  multicut solve FILE --solver dual-greedy --option policy={path}"
    words = command.replace("FILE", str(problem_file)).split()[1:]
    assert multicut(*words).code == 0


def test_json_is_what_the_file_holds(multicut, tmp_path):
    path = tmp_path / "own.json"
    outcome = multicut("train", "policy", "-o", path, *SMALL, "--budget", 3, "--json")
    assert outcome.code == 0
    assert outcome.stderr == ""
    assert outcome.json() == json.loads(path.read_text())
    assert outcome.json()["found"]["work"] <= outcome.json()["budget"] == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "x.json", "--family", "nowhere"], "nowhere: neither a file, a folder nor"),
        (["-o", "x.toml"], "--output must end in one of .json, got 'x.toml'"),
        (["-o", "nowhere/x.json"], "--output nowhere"),
        (["-o", "x.json", "--budget", 1], "budget must be at least 1"),
        (["-o", "x.json", "--start", "slow"], "policy must be one of balanced, best, fast"),
        ([], "Missing option '--output'"),
    ],
)
def test_errors_are_one_line(multicut, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    outcome = multicut("train", "policy", *arguments)
    assert outcome.code == 2
    (line,) = [line for line in outcome.stderr.splitlines() if line.startswith("error: ")]
    assert message in line


def test_networks_are_trained_with_and_without_their_name(multicut):
    for words in (["train"], ["train", "network"]):
        outcome = multicut(*words, "nowhere.toml")
        assert outcome.code == 2
        assert outcome.stderr == "error: nowhere.toml: No such file or directory\n"
    assert "network" in multicut("train", "--help").stdout
    assert "Missing argument" in multicut("train").stderr
