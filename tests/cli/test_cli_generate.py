from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import multicut as mc
from multicut.datasets import Dataset, generate, list_generators

SMALL = ("--option", "min_nodes=5", "--option", "max_nodes=7")


def test_a_dataset_is_written(multicut, tmp_path):
    outcome = multicut(
        "generate", "irismp", "--num", 6, "--label", "ilp", *SMALL, "-o", tmp_path / "set"
    )
    assert outcome.code == 0
    assert "6 proven optimal" in outcome.stderr
    dataset = Dataset.load(tmp_path / "set", verify=True)
    assert dataset.optimal.all()
    drawn = generate("irismp", 6, min_nodes=5, max_nodes=7).arrays()
    assert dataset.arrays().fingerprint() == drawn.fingerprint()


def test_json(multicut, tmp_path):
    arguments = ("--split", "test", "--start", 3, "--seed", 5, "--num", 4, "--json")
    document = multicut("generate", "planted", *arguments, "-o", tmp_path / "set").json()
    assert document["num_graphs"] == 4
    assert document["num_labelled"] == 0
    drawn = generate("planted", 4, split="test", start=3, seed=5).arrays()
    assert document["fingerprint"] == drawn.fingerprint()


def test_a_hundred_graphs_by_default(multicut, tmp_path):
    outcome = multicut("generate", "irismp", "--split", "valid", *SMALL, "-o", tmp_path / "set")
    assert "Written to" in outcome.stderr
    assert "100 graphs" in outcome.stderr
    assert len(Dataset.load(tmp_path / "set")) == 100


@pytest.mark.parametrize("name", ["one.txt", "one.csv", "one.npz", "one.lpmp", "one.txt.gz"])
def test_a_name_of_a_file_makes_one_problem(multicut, tmp_path, name):
    arguments = ("--split", "test", "--start", 2, "--seed", 4, *SMALL, "-o", tmp_path / name)
    outcome = multicut("generate", "irismp", *arguments)
    assert outcome.code == 0
    assert f"Written to {tmp_path / name}: 1 graph, " in outcome.stderr
    assert (tmp_path / name).is_file()
    drawn = generate("irismp", 1, split="test", start=2, seed=4, min_nodes=5, max_nodes=7)[0]
    found = mc.read(tmp_path / name)
    assert found.edges.tolist() == drawn.edges.tolist()
    assert found.costs.tolist() == drawn.costs.tolist()
    document = multicut("generate", "irismp", *arguments, "--overwrite", "--json").json()
    assert document["file"] == str(tmp_path / name)
    assert document["num_graphs"] == 1


def test_only_formats_for_many_problems_take_several(multicut, tmp_path):
    arguments = ("generate", "irismp", *SMALL, "--num", 3, "-o")
    outcome = multicut(*arguments, tmp_path / "three.txt")
    assert outcome.code == 2
    assert "--num must be 1 for the file" in outcome.stderr
    assert multicut(*arguments, tmp_path / "three.npz").code == 0
    drawn = generate("irismp", 3, min_nodes=5, max_nodes=7)
    assert mc.read_all(tmp_path / "three.npz") == dict(zip(drawn.names, drawn, strict=True))
    assert not (tmp_path / "three.txt").exists()


@pytest.mark.parametrize("name", ["one.json", "one.png", "set.tar.gz"])
def test_no_folder_is_named_like_a_file(multicut, tmp_path, name):
    outcome = multicut("generate", "irismp", "--num", 1, "-o", tmp_path / name)
    assert outcome.code == 2
    assert "looks like a file, but its suffix does not name a format" in outcome.stderr
    assert list(tmp_path.iterdir()) == []


def test_folders_may_have_dots_in_their_names(multicut, tmp_path):
    for name in ("sigma-0.5", "set.v2"):
        assert multicut("generate", "irismp", "--num", 1, *SMALL, "-o", tmp_path / name).code == 0
        assert len(Dataset.load(tmp_path / name)) == 1


def test_files_have_no_labels(multicut, tmp_path):
    outcome = multicut("generate", "irismp", "--label", "ilp", "-o", tmp_path / "one.txt")
    assert outcome.code == 2
    assert "--label needs a dataset" in outcome.stderr


def test_what_is_not_proven_is_told(multicut, tmp_path):
    outcome = multicut(
        "generate", "irismp", "--num", 3, "--label", "gaec", *SMALL, "-o", tmp_path / "set"
    )
    assert "0 proven optimal, 3 not proven (no bound)" in outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nosuch",), "unknown generator 'nosuch'"),
        (("irismp", "--option", "colour=3"), "has no option 'colour'"),
        (("irismp", "--option", "sigma=1", "--option", "sigma=2"), "--option sigma is given twice"),
        (("irismp", "--split", "eval"), "--split must be one of train, valid, test"),
        (("irismp", "--num", 3, "--workers", 2), "add --label ilp"),
        (("irismp", "--num", 0), "num must be at least 1"),
        (("irismp", "--label", "ilp", "--workers", 0), "num_workers must be at least 1"),
        (("irismp", "--label", "magic"), "unknown solver 'magic'"),
        (
            ("irismp", "--label", "ilp", "--workers", 2, "--cluster", "tcp://x:1"),
            "leave one out",
        ),
        (("irismp", "--time-limit", 1), "time_limit is for labelling"),
    ],
)
def test_mistakes_are_named_in_one_line(multicut, tmp_path, arguments, message):
    outcome = multicut("generate", *arguments, "-o", tmp_path / "set")
    assert outcome.code == 2
    assert message in outcome.stderr.splitlines()[-1]
    assert not (tmp_path / "set").exists()


def test_listing_is_the_registry(multicut):
    entries = multicut("generators", "--json").json()
    printed = multicut("generators").stdout
    assert [entry["name"] for entry in entries] == [r.name for r in list_generators()]
    for record, entry in zip(list_generators(), entries, strict=True):
        assert record.name in printed
        assert {name: o["default"] for name, o in entry["options"].items()} == (
            record.option_defaults
        )
        assert all(f"{name}={value}" in printed for name, value in record.option_defaults.items())


def test_an_interrupt_tells_how_to_go_on(tmp_path):
    command = [sys.executable, "-m", "multicut", "generate", "randommp", "--num", "5000"]
    process = subprocess.Popen(
        [*command, "--label", "klj", "-o", tmp_path / "set"], stderr=subprocess.PIPE, text=True
    )
    while not list((tmp_path / "set.partial").glob("*.npz")) and process.poll() is None:
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "of 5,000 graphs labelled; run the same command again to resume" in told


def test_statistics_stand_beside_the_published_ones(multicut, tmp_path):
    multicut("generate", "irismp", "--num", 5, "--label", "ilp", "-o", tmp_path / "set")
    outcome = multicut("info", tmp_path / "set")
    assert outcome.code == 0
    assert "published" in outcome.stdout
    row = next(line for line in outcome.stdout.splitlines() if "c(ỹ)" in line)
    assert row.split()[-1] == "-1.103"
    document = multicut("info", tmp_path / "set", "--json").json()
    (entry,) = document["datasets"]
    assert entry["published"]["num_graphs"] == 20_000
    assert entry["statistics"]["num_optimal"] == 5
    multicut("generate", "irismp", "--num", 5, *SMALL, "-o", tmp_path / "other")
    assert "published" not in multicut("info", tmp_path / "other").stdout


def test_statistics_of_a_file_with_many_problems(multicut, packed_file):
    document = json.loads(multicut("info", packed_file, "--statistics", "--json").stdout)
    assert document["datasets"][0]["statistics"]["optimum"] == pytest.approx((-1 - 1.5) / 2)
    outcome = multicut("info", packed_file.parent)
    assert outcome.code == 0
    assert "packed" in multicut("info", packed_file, "--statistics").stdout
    outcome = multicut("info", packed_file, "--statistics", "--instance", "pair")
    assert outcome.code == 2


def test_statistics_of_a_corpus(multicut, packed_file):
    outcome = multicut("info", packed_file.parent, "--corpus", "cremi", "--json").json()
    (entry,) = outcome["datasets"]
    assert entry["name"] == "cremi"
    assert entry["statistics"]["num_graphs"] == 2
    assert entry["published"]["num_graphs"] == 3
    assert multicut("info", packed_file.parent, "--corpus", "nosuch").code == 2


def test_pictures(multicut, tmp_path, packed_file):
    multicut("generate", "irismp", "--num", 4, "--label", "ilp", "-o", tmp_path / "set")
    for source in (tmp_path / "set", packed_file):
        picture = tmp_path / "picture.png"
        outcome = multicut("plot", "dataset", source, "-o", picture)
        assert outcome.code == 0, outcome.stderr
        assert picture.read_bytes().startswith(b"\x89PNG")
        picture.unlink()
    outcome = multicut("plot", "dataset", tmp_path / "set", "-o", tmp_path / "x.png", "--start", 4)
    assert outcome.code == 2
    assert "has 4 graphs" in outcome.stderr
    assert multicut("plot", "dataset", "nowhere", "-o", tmp_path / "x.png").code == 2
    assert multicut("plot", "dataset", tmp_path / "set", "-o", tmp_path / "x.doc").code == 2


def test_what_a_limit_leaves_open_says_its_gap(multicut, tmp_path):
    arguments = ("--num", 2, "--label", "ilp", "--time-limit", 0, "-o", tmp_path / "set")
    assert "2 not proven (gap up to" in multicut("generate", "randommp", *arguments).stderr
    dataset = Dataset.load(tmp_path / "set")
    assert not dataset.optimal.any()
    assert f"{dataset.gap.max():.2%}" in multicut("info", tmp_path / "set").stdout
    (entry,) = multicut("info", tmp_path / "set", "--json").json()["datasets"]
    assert entry["statistics"]["largest_gap"] == dataset.gap.max()


def test_notes_of_users_are_no_origin(multicut, tmp_path):
    arrays = generate("irismp", 2).arrays()
    notes = ("my own", {"name": "mine"}, {"name": "irismp"})
    for i, note in enumerate(notes):
        Dataset(arrays, info={"generator": note}).save(tmp_path / f"set{i}")
        outcome = multicut("info", tmp_path / f"set{i}")
        assert outcome.code == 0
        assert "published" not in outcome.stdout


def test_a_problem_file_is_not_replaced_without_a_word(multicut, tmp_path):
    path = tmp_path / "one.txt"
    path.write_text("0 1 2.5\n")
    outcome = multicut("generate", "randommp", "-o", path)
    assert outcome.code == 2
    assert "exists already" in outcome.stderr
    assert "--overwrite" in outcome.stderr
    assert path.read_text() == "0 1 2.5\n"
    assert multicut("generate", "randommp", "-o", path, "--overwrite").code == 0
    assert mc.read(path).num_edges > 1


def test_an_unknown_generator_is_refused_before_anything_is_said(multicut, tmp_path):
    outcome = multicut("generate", "grid", "-o", tmp_path / "one.txt")
    assert outcome.code == 2
    assert "Generating" not in outcome.stderr
    assert "did you mean 'grid-2d'?" in outcome.stderr
