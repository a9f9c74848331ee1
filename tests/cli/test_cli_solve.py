from __future__ import annotations

import csv
import io
import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

import multicut as mc
from multicut.cli.plot.labels import read_labels


def test_prints_what_it_does_and_finds(multicut, problem, problem_file):
    outcome = multicut("solve", problem_file, "--solver", "gaec")
    expected = mc.solve(problem, "gaec")
    assert outcome.code == 0
    assert outcome.stderr == (
        f"Read {problem_file}: 150 nodes, {problem.num_edges:,} edges.\n"
        f"Solving with gaec, seed 0.\n"
    )
    assert outcome.stdout.startswith("solver ")
    printed = re.search(r"objective\s+(-[\d,.]+)", outcome.stdout).group(1)
    assert float(printed.replace(",", "")) == pytest.approx(expected.objective)
    assert f"{expected.num_clusters} of 150 nodes" in outcome.stdout


def test_json_is_all_of_stdout(multicut, problem, problem_file):
    outcome = multicut("solve", problem_file, "--solver", "gaec", "--json", "--seed", 5)
    document = outcome.json()
    assert outcome.code == 0
    assert document["file"] == str(problem_file)
    assert document["solver"] == "gaec"
    assert document["seed"] == 5
    assert document["objective"] == pytest.approx(mc.solve(problem, "gaec").objective)


def test_default_solver_is_auto(multicut, problem, problem_file, tmp_path):
    path = tmp_path / "labels.npy"
    outcome = multicut("solve", problem_file, "--json", "-o", path)
    assert outcome.code == 0
    assert outcome.json()["objective"] == pytest.approx(mc.objective(problem, np.load(path)))


@pytest.mark.parametrize("suffix", ["npy", "csv", "json"])
def test_saved_labels_have_the_printed_objective(multicut, problem, problem_file, tmp_path, suffix):
    path = tmp_path / f"labels.{suffix}"
    outcome = multicut("solve", problem_file, "--solver", "gaec", "-o", path, "--json")
    if suffix == "npy":
        labels = np.load(path)
    elif suffix == "csv":
        with path.open(newline="") as file:
            by_id = {int(row["node"]): int(row["label"]) for row in csv.DictReader(file)}
        labels = np.array([by_id[node] for node in problem.node_ids.tolist()])
    else:
        labels = np.array(json.loads(path.read_text())["labels"])
    assert mc.objective(problem, labels) == pytest.approx(outcome.json()["objective"])


def test_time_limit_is_passed_on(multicut, problem_file):
    document = multicut("solve", problem_file, "-s", "gaec", "-t", 0, "--json").json()
    assert document["stopped_by"] == "time_limit"


def test_chooses_one_of_several_instances(multicut, packed_file):
    outcome = multicut("solve", packed_file, "-s", "gaec", "--instance", "pair", "--json")
    assert outcome.json()["objective"] == -1.5


def test_options_reach_the_solver(multicut, problem_file, monkeypatch):
    seen = {}
    original = mc.solve

    def spy(problem, solver, time_limit, seed, callback, *, bound, **options):
        assert not bound
        seen.update(options)
        return original(problem, solver, time_limit, seed, callback)

    monkeypatch.setattr(mc, "solve", spy)
    monkeypatch.setattr("multicut.solvers.SolverRecord.parse_options", lambda _, __: None)
    arguments = ("--option", "rounds=3", "--option", "scale=0.5", "--option", "fast-mode=true")
    arguments += ("--option", "start=none", "--option", "name=some text")
    assert multicut("solve", problem_file, "-s", "gaec", *arguments).code == 0
    assert seen == {
        "rounds": 3,
        "scale": 0.5,
        "fast_mode": True,
        "start": None,
        "name": "some text",
    }


def test_progress_shows_the_objective_on_a_terminal_only(multicut, problem_file, monkeypatch):
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=100)
    monkeypatch.setattr("multicut.cli.progress.errors", lambda: terminal)
    assert multicut("solve", problem_file, "-s", "gaec").code == 0
    assert "gaec  objective -" in screen.getvalue()
    screen.truncate(0)
    assert multicut("solve", problem_file, "-s", "gaec", "--json").code == 0
    assert "objective" not in screen.getvalue()


def test_bound_is_computed_on_request(multicut, problem, problem_file):
    document = multicut("solve", problem_file, "-s", "gaec", "--bound", "--json").json()
    assert document["lower_bound"] == pytest.approx(mc.lower_bound(problem))
    assert 0 < document["gap"] < 0.2
    assert multicut("solve", problem_file, "-s", "gaec", "--json").json()["lower_bound"] is None


def test_progress_shows_bound_gap_and_cuts(multicut, problem_file, monkeypatch):
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=200)
    monkeypatch.setattr("multicut.cli.progress.errors", lambda: terminal)
    assert multicut("solve", problem_file, "-s", "ilp").code == 0
    for words in ("objective -", "bound -", "gap ", "cycle inequalities"):
        assert words in screen.getvalue()


def test_starts_from_saved_labels(multicut, problem, problem_file, tmp_path):
    start = tmp_path / "start.npy"
    np.save(start, np.arange(problem.num_nodes) % 7)
    arguments = ("--option", f"initial={start}", "--option", "max_rounds=0", "--json")
    document = multicut("solve", problem_file, "-s", "klj", *arguments).json()
    expected = mc.objective(problem, np.arange(problem.num_nodes) % 7)
    assert document["objective"] == pytest.approx(expected)


@pytest.mark.parametrize("ending", [".npy", ".csv", ".json"])
def test_starts_from_what_output_has_saved(multicut, problem, problem_file, tmp_path, ending):
    saved = tmp_path / f"labels{ending}"
    best = mc.solve(problem, "fusion")
    best.save(saved)
    arguments = ("-s", "gaec", "--initial", saved, "--json")
    assert multicut("solve", problem_file, *arguments).json()["objective"] <= best.objective


def test_initial_labels_must_be_readable(multicut, problem_file, tmp_path):
    broken, few = tmp_path / "broken.json", tmp_path / "few.csv"
    broken.write_text("{}")
    few.write_text("node,label\n0,1\n")
    for path, solver, expected in (
        (broken, "klj", "not labels"),
        (few, "klj", "no label for node 1"),
        (tmp_path / "none.npy", "klj", "no file"),
        (tmp_path / "labels.txt", "klj", "use a file .npy, .csv or .json"),
        (few, "gnn", "cannot start from"),
    ):
        outcome = multicut("solve", problem_file, "-s", solver, "--initial", path)
        assert outcome.code == 2
        assert expected in outcome.stderr


def test_start_must_be_a_readable_array(multicut, problem_file, tmp_path):
    broken = tmp_path / "broken.npy"
    broken.write_text("no array")
    for path, expected in ((broken, "not an array"), (tmp_path / "none.npy", "no file")):
        outcome = multicut("solve", problem_file, "-s", "klj", "--option", f"initial={path}")
        assert outcome.code == 2
        assert expected in outcome.stderr


def test_interrupt_saves_the_best_so_far(problem, problem_file, tmp_path):
    labels = tmp_path / "labels.npy"
    endless = ["--option", "max_proposals=1000000000", "--option", "patience=1000000000"]
    command = [sys.executable, "-m", "multicut", "solve", str(problem_file), "-o", str(labels)]
    process = subprocess.Popen(
        [*command, "--solver", "fusion", *endless],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while "Solving" not in process.stderr.readline():
            assert process.poll() is None
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        stdout, stderr = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130
    assert stderr == (
        f"Labels written to {labels}.\ninterrupted: this is the best solution so far\n"
    )
    assert "stopped by interrupt" in stdout
    printed = re.search(r"objective\s+(-[\d,.]+)", stdout).group(1)
    assert mc.objective(problem, np.load(labels)) == pytest.approx(float(printed.replace(",", "")))


def test_summary_is_printed_even_if_saving_fails(multicut, problem_file, tmp_path, monkeypatch):
    def full(*_args):
        raise OSError(28, "No space left on device", "labels.npy")

    monkeypatch.setattr(mc.Result, "save", full)
    outcome = multicut("solve", problem_file, "-s", "gaec", "-o", tmp_path / "labels.npy")
    assert outcome.code == 2
    assert "objective" in outcome.stdout
    assert outcome.stderr.endswith("error: labels.npy: No space left on device\n")


def test_reads_stdin(multicut, problem, problem_file, monkeypatch):
    content = io.BytesIO(problem_file.read_bytes())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(content))
    document = multicut("solve", "-", "-s", "gaec", "--json").json()
    assert document["file"] == "stdin"
    assert document["num_edges"] == problem.num_edges


def test_endings_in_upper_case_mean_the_same(
    multicut, packed_file, problem, problem_file, tmp_path
):
    multicut("solve", packed_file, "-s", "gaec", "-o", tmp_path / "all.CSV")
    assert (tmp_path / "all.CSV").read_text().startswith("problem,node,label\n")
    outcome = multicut("solve", packed_file, "-o", tmp_path / "all.NPY")
    assert ".npy holds labels of one problem" in outcome.stderr
    for name in ("one.CSV", "one.JSON", "one.NPY"):
        assert multicut("solve", problem_file, "-s", "gaec", "-o", tmp_path / name).code == 0
        labels = read_labels(tmp_path / name, problem)
        np.testing.assert_array_equal(labels, mc.solve(problem, "gaec").labels)


def test_positions_count_from_the_end_as_in_python(multicut, packed_file):
    outcome = multicut("solve", packed_file, "--instance", "-1", "-s", "gaec", "--json")
    assert outcome.code == 0, outcome.stderr
    assert outcome.json()["objective"] == mc.solve(mc.read(packed_file, instance=-1)).objective
