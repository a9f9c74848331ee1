from __future__ import annotations

import io
import subprocess
import sys

from rich.console import Console

from multicut.io import list_formats, read, read_all

TRIANGLE = "0 1 1\n1 2 2\n0 2 -4\n"


def run(command, cwd):
    command = command.replace("multicut", f"'{sys.executable}' -m multicut")
    return subprocess.run(
        ["/bin/sh", "-c", command], cwd=cwd, capture_output=True, text=True, timeout=60, check=True
    )


def test_round_trip_loses_nothing(multicut, problem, problem_file, tmp_path):
    packed = tmp_path / "packed.npz"
    back = tmp_path / "back.txt"
    first = multicut("convert", problem_file, packed)
    assert first.code == 0
    assert first.stdout == ""
    assert str(packed) in first.stderr
    assert multicut("convert", packed, back).code == 0
    assert read(packed) == problem
    assert read(back) == problem


def test_takes_one_of_several(multicut, packed_file, tmp_path):
    target = tmp_path / "pair.txt"
    assert multicut("convert", packed_file, target, "--instance", "pair").code == 0
    assert read(target).costs.tolist() == [-1.5]


def test_several_problems_stay_together(multicut, packed_file, tmp_path):
    target = tmp_path / "copy.npz"
    outcome = multicut("convert", packed_file, target)
    assert "2 problems" in outcome.stderr
    assert read_all(target) == read_all(packed_file)


def test_several_problems_do_not_fit_every_format(multicut, packed_file, tmp_path):
    outcome = multicut("convert", packed_file, tmp_path / "copy.txt")
    assert outcome.code == 2
    assert "has 2; choose one with --instance, or write all with --to npz" in outcome.stderr


def test_folder_must_exist(multicut, problem_file):
    outcome = multicut("convert", problem_file, "nowhere/target.txt")
    assert outcome.code == 2
    assert "no folder 'nowhere'" in outcome.stderr


def test_unknown_format(multicut, problem_file, tmp_path):
    outcome = multicut("convert", problem_file, tmp_path / "x.txt", "--to", "docx")
    assert outcome.code == 2
    assert outcome.stdout == ""
    assert "docx" in outcome.stderr
    assert list_formats()[0].name in outcome.stderr


def test_redirected_output_is_written_through(tmp_path):
    (tmp_path / "triangle.txt").write_text(TRIANGLE)
    (tmp_path / "log.txt").write_text("first\n")
    (tmp_path / "link").symlink_to("/dev/stdout")
    for target in ("/dev/stdout", "/dev/fd/1", "link", "-"):
        run(f"multicut convert triangle.txt {target} --to edges >> log.txt", tmp_path)
    assert (tmp_path / "log.txt").read_text() == "first\n" + 4 * TRIANGLE
    assert run("multicut convert triangle.txt /dev/stdout --to edges | cat", tmp_path).stdout == (
        TRIANGLE
    )


def test_from_stdin_to_stdout(tmp_path):
    (tmp_path / "triangle.txt").write_text(TRIANGLE)
    pipeline = "multicut convert - - --to opengm < triangle.txt | multicut convert - - --to edges"
    done = run(pipeline, tmp_path)
    assert done.stdout == TRIANGLE
    assert done.stderr.count("Read stdin: 3 nodes, 3 edges.\nWritten to stdout.") >= 1


def test_stdout_needs_a_format(multicut, problem_file):
    outcome = multicut("convert", problem_file, "-")
    assert outcome.code == 2
    assert "name it with --to NAME" in outcome.stderr


def test_a_terminal_shows_what_goes_on(multicut, problem_file, tmp_path, monkeypatch):
    screen = io.StringIO()
    terminal = Console(file=screen, force_terminal=True, width=300)
    monkeypatch.setattr("multicut.cli.console.errors", lambda: terminal)
    assert multicut("convert", problem_file, tmp_path / "x.npz").code == 0
    assert f"reading {problem_file}" in screen.getvalue()
    assert f"writing {tmp_path / 'x.npz'}" in screen.getvalue()


def test_lifted_edges_survive_or_are_refused(multicut, tmp_path):
    path = tmp_path / "lifted.csv"
    path.write_text("u,v,cost,lifted\n0,1,1,0\n1,2,2,0\n0,2,-3,1\n")
    outcome = multicut("convert", path, tmp_path / "lifted.npz")
    assert "3 nodes, 2 edges, 1 lifted edge" in outcome.stderr
    assert read(tmp_path / "lifted.npz") == read(path)
    refused = multicut("convert", path, tmp_path / "lifted.h5")
    assert refused.code != 0
    assert "stores no lifted edges, got 1; write with --to npz" in refused.stderr
