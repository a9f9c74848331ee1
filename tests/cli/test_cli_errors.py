"""Whatever is wrong: one line on stderr, nothing on stdout, exit code 2."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import multicut as mc
from multicut.cli import main


def complaint(outcome, code=2):
    assert outcome.code == code
    assert outcome.stdout == ""
    assert outcome.stderr.startswith("error: ")
    assert outcome.stderr.count("\n") == 1
    return outcome.stderr


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--solver", "geac"], ["'geac'", "did you mean 'gaec'", "choose from:"]),
        (["-s", "gaec", "--option", "depth=3"], ["'gaec' has no option 'depth'"]),
        (["-s", "gaec", "--option", "depth"], ["--option", "key=value", "'depth'"]),
        (["-s", "gaec", "--option", "seed=3"], ["--option seed=3", "--seed"]),
        (["-s", "gaec", "--option", "a=1", "--option", "a=2"], ["a is given twice"]),
        (["-s", "gaec", "--time-limit", "-1"], ["--time-limit", "at least 0", "-1"]),
        (["-s", "gaec", "--time-limit", "soon"], ["--time-limit", "soon", "solve --help"]),
        (["-s", "gaec", "--seed", "1.5"], ["--seed", "whole number", "'1.5'"]),
        (["-s", "gaec", "--time-limit", "nan"], ["--time-limit", "nan"]),
        (["-s", "gaec", "--seed", "-3"], ["--seed", "-3"]),
        (["-s", "gaec", "-o", "labels.txt"], ["--output", ".npy, .csv, .json", "labels.txt"]),
        (["-s", "gaec", "-o", "nowhere/labels.npy"], ["--output", "no folder 'nowhere'"]),
        (["--instance", "none", "-s", "gaec"], ["'none'"]),
        (["--format", "docx", "-s", "gaec"], ["'docx'"]),
        (["--speed", "9"], ["--speed", "solve --help"]),
    ],
)
def test_bad_arguments_of_solve(multicut, problem_file, arguments, expected):
    outcome = multicut("solve", problem_file, "--json", *arguments)
    message = complaint(outcome)
    assert all(part in message for part in expected), message


@pytest.mark.parametrize("command", [["solve", "-s", "gaec"], ["info"]])
def test_missing_file(multicut, tmp_path, command):
    message = complaint(multicut(*command, "--json", tmp_path / "missing.txt"))
    assert "missing.txt" in message


def test_malformed_line_is_named(multicut, tmp_path):
    path = tmp_path / "broken.txt"
    path.write_text("0 1 2.5\n1 two 3\n")
    message = complaint(multicut("info", path))
    assert "broken.txt:2:" in message


def test_several_problems_need_a_choice(multicut, packed_file):
    message = complaint(
        multicut("plot", "problem", packed_file, "-o", packed_file.parent / "x.png")
    )
    assert "2 problems (triangle, pair)" in message
    assert "with --instance" in message
    assert "read_all" not in message


def test_unrecognised_format_names_the_option(multicut, tmp_path):
    path = tmp_path / "noise.bin"
    path.write_bytes(bytes(range(256)))
    assert "with --format" in complaint(multicut("info", path))
    assert "with --from" in complaint(multicut("convert", path, tmp_path / "x.npz"))
    assert "with --to" in complaint(multicut("convert", path, tmp_path / "x.docx"))


def test_contradiction_is_named(multicut, tmp_path):
    path = tmp_path / "contradiction.txt"
    path.write_text("0 1 inf\n1 2 inf\n0 2 -inf\n")
    message = complaint(multicut("solve", path, "-s", "gaec", "--json"))
    assert "must-links" in message


def test_unknown_command(multicut):
    message = complaint(multicut("sovle"))
    assert "'sovle'" in message
    assert "see multicut --help" in message


def test_missing_argument(multicut):
    assert "FILE" in complaint(multicut("solve"))


def test_unexpected_errors_are_one_line_too(multicut, problem_file, monkeypatch):
    def broken(*_args, **_keywords):
        raise RuntimeError("the roof\nis on fire")

    monkeypatch.setattr("multicut.io.open_file", broken)
    message = complaint(multicut("info", problem_file), code=1)
    assert "RuntimeError: the roof is on fire" in message
    assert "--traceback" in message


def test_traceback_on_demand(multicut, tmp_path):
    outcome = multicut("--traceback", "info", tmp_path / "missing.txt")
    assert outcome.code == 2
    assert "Traceback" in outcome.stderr


def test_exit_codes_of_the_process(tmp_path):
    def run(*arguments):
        command = [sys.executable, "-m", "multicut", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    bad = run("solve", str(tmp_path / "missing.txt"), "--solver", "gaec")
    assert bad.returncode == 2
    assert bad.stderr.count("\n") == 1
    good = run("--version")
    assert good.returncode == 0
    assert good.stdout.startswith("multicut ")


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seed", "-3"],
        ["--time-limit", "-1"],
        ["--solver", "geac"],
        ["--option", "depth=3"],
        ["-o", "nowhere/labels.npy"],
        ["--format", "docx"],
    ],
)
def test_bad_options_are_reported_before_the_file_is_read(multicut, tmp_path, arguments):
    message = complaint(multicut("solve", tmp_path / "missing.txt", "-s", "gaec", *arguments))
    assert "missing.txt" not in message


def test_output_must_be_writable(multicut, problem_file, tmp_path, monkeypatch):
    (tmp_path / "folder.npy").mkdir()
    message = complaint(multicut("solve", problem_file, "-o", tmp_path / "folder.npy"))
    assert "--output" in message
    assert "is a folder" in message
    monkeypatch.setattr("os.access", lambda _, mode: mode != os.W_OK)
    message = complaint(multicut("solve", problem_file, "-o", tmp_path / "labels.npy"))
    assert "is not writable" in message


@pytest.mark.parametrize("command", [["info"], ["convert"], ["demo"]])
def test_interrupt_is_told(multicut, problem_file, tmp_path, monkeypatch, command):
    def interrupt(*_args, **_keywords):
        raise KeyboardInterrupt

    monkeypatch.setattr("multicut.io.open_file", interrupt)
    monkeypatch.setattr("multicut.demo.make_examples", interrupt)
    arguments = {
        "info": [problem_file],
        "convert": [problem_file, tmp_path / "x.npz"],
        "demo": ["--picture", tmp_path / "x.png"],
    }[command[0]]
    outcome = multicut(*command, *arguments)
    assert outcome.code == 130
    assert outcome.stderr.splitlines()[-1] == "interrupted"


@pytest.mark.parametrize("place", ["problem.csv", "./problem.csv", "link.csv", "hard.csv"])
def test_the_problem_is_not_replaced_by_its_labels(multicut, problem, tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    mc.write(problem, tmp_path / "problem.csv")
    (tmp_path / "link.csv").symlink_to("problem.csv")
    (tmp_path / "hard.csv").hardlink_to(tmp_path / "problem.csv")
    message = complaint(multicut("solve", "problem.csv", "-o", place))
    assert f"--output {place.removeprefix('./')} would overwrite the input" in message
    message = complaint(multicut("convert", "problem.csv", place))
    assert f"OUTPUT {place.removeprefix('./')} would overwrite the input" in message
    assert mc.read(tmp_path / "problem.csv") == problem


def test_stdin_is_not_replaced_either(problem, tmp_path):
    path = tmp_path / "problem.csv"
    mc.write(problem, path)
    command = [sys.executable, "-m", "multicut", "solve", "-", "-o", path]
    with path.open("rb") as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "would overwrite the input stdin" in done.stderr
    assert mc.read(path) == problem


def test_pictures_do_not_replace_what_they_show(multicut, tmp_path):
    picture = tmp_path / "photo.png"
    mc.vision.write_image(picture, mc.vision.sample_image("coffee")[:40, :40])
    content = picture.read_bytes()
    message = complaint(multicut("plot", "segmentation", picture, "-o", picture))
    assert "would overwrite the input" in message
    assert picture.read_bytes() == content


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Two problem files in a folder, and a dataset."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fold").mkdir()
    for name in ("a", "b"):
        mc.write(mc.datasets.randommp(20, seed=1), tmp_path / f"fold/{name}.csv")
    mc.datasets.generate("randommp", 2, mean_nodes=20).save(tmp_path / "data")
    (tmp_path / "other").symlink_to("fold")
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ["solve", "fold", "-o", "fold/b.csv"],
        ["solve", "fold", "-o", "fold/new.csv"],
        ["solve", "fold", "-o", "other/b.csv"],
        ["solve", "other", "--instance", "0", "-o", "fold/b.csv"],
        ["solve", "data", "--instance", "0", "-o", "data/costs.npy"],
        ["convert", "fold", "fold/b.npz"],
        ["convert", "fold", "fold/b.csv", "--instance", "0"],
        ["plot", "problem", "fold", "--instance", "0", "-o", "fold/b.png"],
        ["plot", "dataset", "data", "-o", "data/picture.png"],
    ],
)
def test_nothing_is_written_into_a_folder_that_is_read(multicut, folder, command):
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert "lies in the folder" in complaint(multicut(*command))
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_file_that_a_folder_links_to_is_not_written_over(multicut, folder):
    mc.write(mc.datasets.randommp(20, seed=2), folder / "outside.csv")
    (folder / "fold/c.csv").symlink_to(folder / "outside.csv")
    message = complaint(multicut("solve", "fold", "-o", "outside.csv"))
    assert "--output outside.csv would overwrite the input fold" in message


def test_labels_are_written_beside_a_folder(multicut, folder):
    assert multicut("solve", "fold", "-s", "gaec", "-o", "labels.csv").code == 0
    assert (folder / "labels.csv").read_text().startswith("problem,node,label\n")


def test_no_memory_for_the_complaint(monkeypatch, capfd):
    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("multicut.cli.running.errors", fail)
    assert main(["solve", "missing.csv"]) == 1
    assert capfd.readouterr().err == "error: not enough memory for this problem\n"


@pytest.mark.parametrize("chosen", [None, "0"])
def test_networks_get_large_pages_unless_the_user_has_chosen(capsys, monkeypatch, chosen):
    monkeypatch.setattr(sys, "argv", ["multicut", "solvers"])
    monkeypatch.setenv("THP_MEM_ALLOC_ENABLE", "0")
    if chosen is None:
        monkeypatch.delenv("THP_MEM_ALLOC_ENABLE")
    assert main(["solvers"]) == 0  # called by a program, which it changes nothing of
    assert os.environ.get("THP_MEM_ALLOC_ENABLE") == chosen
    assert main() == 0
    assert os.environ["THP_MEM_ALLOC_ENABLE"] == (chosen or "1")
    assert "gaec" in capsys.readouterr().out
