"""What ``multicut generate`` writes, the other commands read."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest

import multicut as mc


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "set"
    mc.datasets.generate("irismp", 3).label("ilp", num_workers=1).save(path)
    return path


def test_solve_prints_a_table_with_ratios(multicut, folder):
    outcome = multicut("solve", folder, "--solver", "gaec")
    assert outcome.code == 0
    assert outcome.stderr == f"Read {folder}: 3 problems.\nSolving each with gaec, seed 0.\n"
    rows = [line.split() for line in outcome.stdout.splitlines() if "irismp-train-" in line]
    dataset = mc.Dataset.load(folder)
    for row, problem in zip(rows, dataset, strict=True):
        result = mc.solve(problem, "gaec")
        assert row[:3] == [problem.name, str(problem.num_nodes), str(problem.num_edges)]
        assert float(row[3]) == pytest.approx(result.objective, rel=1e-5)
        assert float(row[4]) == pytest.approx(result.objective / problem.objective, abs=1e-5)
        assert int(row[5]) == result.num_clusters
    assert "all 3" in outcome.stdout


def test_without_labels_there_is_no_ratio(multicut, tmp_path):
    mc.datasets.generate("irismp", 2).save(tmp_path / "bare")
    outcome = multicut("solve", tmp_path / "bare", "-s", "gaec")
    assert "ratio" not in outcome.stdout.lower()
    document = multicut("solve", tmp_path / "bare", "-s", "gaec", "--json").json()
    assert [entry["ratio"] for entry in document["problems"]] == [None, None]
    assert document["summary"]["mean_ratio"] is None


def test_json_of_all(multicut, folder):
    document = multicut("solve", folder, "-s", "ilp", "--json").json()
    dataset = mc.Dataset.load(folder)
    assert [entry["name"] for entry in document["problems"]] == dataset.names
    assert [entry["ratio"] for entry in document["problems"]] == pytest.approx([1, 1, 1])
    assert document["summary"]["num_optimal"] == 3
    assert document["summary"]["objective"] == pytest.approx(dataset.objective.sum())
    assert document["summary"]["num_edges"] == dataset.num_edges.sum()


def test_one_by_position_or_name(multicut, folder):
    problem = mc.Dataset.load(folder)[1]
    for instance in (1, "irismp-train-1"):
        document = multicut("solve", folder, "--instance", instance, "-s", "ilp", "--json").json()
        assert document["objective"] == pytest.approx(problem.objective)
        assert document["known_objective"] == problem.objective
        assert document["ratio"] == pytest.approx(1)
    outcome = multicut("solve", folder, "--instance", 1, "-s", "ilp")
    assert f"{problem.objective:,.10g} in the dataset; ratio to it 1.00000" in outcome.stdout
    outcome = multicut("solve", folder, "--instance", 9, "-s", "ilp")
    assert outcome.code == 2
    assert "contains no problem '9', but 3" in outcome.stderr


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_results_of_all_go_into_one_file_that_plot_reads(multicut, folder, tmp_path, suffix):
    path = tmp_path / f"labels.{suffix}"
    assert multicut("solve", folder, "-s", "gaec", "-o", path).code == 0
    dataset = mc.Dataset.load(folder)
    if suffix == "csv":
        with path.open(newline="") as file:
            rows = list(csv.DictReader(file))
        found = [
            [int(row["label"]) for row in rows if row["problem"] == problem.name]
            for problem in dataset
        ]
    else:
        found = [entry["labels"] for entry in json.loads(path.read_text())["problems"]]
    expected = [mc.solve(problem, "gaec").labels.tolist() for problem in dataset]
    assert found == expected
    picture = tmp_path / "x.png"
    outcome = multicut("plot", "solution", folder, "--instance", 2, "--labels", path, "-o", picture)
    assert f"objective {mc.solve(dataset[2], 'gaec').objective:,.10g}" in outcome.stderr


def test_labels_of_a_dataset_do_not_fit_another_file(multicut, folder, problem_file, tmp_path):
    for suffix in ("csv", "json"):
        path = tmp_path / f"labels.{suffix}"
        multicut("solve", folder, "-s", "gaec", "-o", path)
        arguments = ("--labels", path, "-o", tmp_path / "x.png")
        outcome = multicut("plot", "solution", problem_file, *arguments)
        assert outcome.code == 2
        assert "labels of the problems of a dataset" in outcome.stderr


def test_npy_holds_labels_of_one(multicut, folder, tmp_path):
    outcome = multicut("solve", folder, "-s", "gaec", "-o", tmp_path / "x.npy")
    assert outcome.code == 2
    assert ".npy holds labels of one problem" in outcome.stderr
    path = tmp_path / "one.npy"
    assert multicut("solve", folder, "-s", "gaec", "--instance", 0, "-o", path).code == 0
    assert len(np.load(path)) == mc.Dataset.load(folder)[0].num_nodes


def test_a_file_with_many_problems_is_solved_alike(multicut, packed_file):
    document = multicut("solve", packed_file, "-s", "gaec", "--json").json()
    assert [entry["name"] for entry in document["problems"]] == ["triangle", "pair"]
    assert [entry["objective"] for entry in document["problems"]] == [-3, -1.5]
    assert [entry["known_objective"] for entry in document["problems"]] == [-3, -1.5]


def test_ctrl_c_leaves_what_is_solved(multicut, folder, tmp_path, monkeypatch):
    from dataclasses import replace

    original, calls = mc.solve, []

    def interrupted(*arguments, **options):
        calls.append(1)
        result = original(*arguments, **options)
        return replace(result, stopped_by="interrupt") if len(calls) == 2 else result

    monkeypatch.setattr(mc, "solve", interrupted)
    outcome = multicut("solve", folder, "-s", "gaec", "-o", tmp_path / "x.json")
    assert outcome.code == 130
    assert "solved 2 of 3 problems, the last one in part" in outcome.stderr
    assert len(json.loads((tmp_path / "x.json").read_text())["problems"]) == 2


def test_long_tables_are_cut(multicut, tmp_path):
    problem = mc.Problem([[0, 1]], [-1.0])
    mc.Dataset.from_problems([problem] * 60).save(tmp_path / "set")
    outcome = multicut("solve", tmp_path / "set", "-s", "gaec")
    assert "The first 50 of 60 problems; --json prints all." in outcome.stdout
    assert "all 60" in outcome.stdout
    assert "dataset-49" in outcome.stdout
    assert "dataset-50" not in outcome.stdout


def test_convert(multicut, folder, tmp_path):
    outcome = multicut("convert", folder, tmp_path / "all.npz")
    assert outcome.code == 0
    assert "Solutions are not written" in outcome.stderr
    dataset = mc.Dataset.load(folder)
    assert mc.read_all(tmp_path / "all.npz") == dict(zip(dataset.names, dataset, strict=True))
    outcome = multicut("convert", folder, tmp_path / "one.txt")
    assert outcome.code == 2
    assert "choose one with --instance, or write all with --to npz" in outcome.stderr
    assert multicut("convert", folder, tmp_path / "one.txt", "--instance", 2).code == 0
    assert mc.read(tmp_path / "one.txt") == dataset[2]


def test_info_of_one(multicut, folder):
    (entry,) = multicut("info", folder, "--instance", 1, "--json").json()["problems"]
    assert entry["num_edges"] == mc.Dataset.load(folder)[1].num_edges
    assert "format dataset" in multicut("info", folder, "--instance", 1).stdout
    assert "c(ỹ)" in multicut("info", folder).stdout


@pytest.mark.parametrize("kind", ["problem", "solution", "trace"])
def test_plot_needs_a_choice(multicut, folder, tmp_path, kind):
    picture = tmp_path / "x.png"
    outcome = multicut("plot", kind, folder, "-o", picture)
    assert outcome.code == 2
    assert "holds 3 problems" in outcome.stderr
    assert "with --instance" in outcome.stderr
    assert multicut("plot", kind, folder, "--instance", 1, "-o", picture).code == 0
    assert picture.exists()


def test_plot_uses_the_positions_of_a_dataset(folder):
    from multicut.cli.plot.arguments import find_positions

    problem = mc.read(folder, instance=0)
    np.testing.assert_array_equal(find_positions(problem, None, 0), problem.positions)


def test_evaluate_one(multicut, folder):
    arguments = ("evaluate", "lr-irismp", folder, "--json")
    (row,) = multicut(*arguments, "--instance", "irismp-train-2").json()["datasets"]
    problem = mc.Dataset.load(folder)[2]
    found = mc.solve(problem, "gnn", model="lr-irismp", device="cpu").objective
    assert row["num_graphs"] == 1
    assert row["objective_ratio"] == pytest.approx(found / problem.objective)
    for extra, message in (
        (("--instance", 7), "choose by name or position with --instance"),
        (("--instance", 1, "--num", 2), "--instance and --num: use only one of them"),
    ):
        outcome = multicut(*arguments, *extra)
        assert outcome.code == 2
        assert message in outcome.stderr
