"""Streams that are closed, and Ctrl-C while the program starts."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest

import multicut as mc

# Presses Ctrl-C while a module is looked for; what comes of it is up to that module.
INTERRUPTED_IMPORT = """
import os, signal, sys
from multicut_command import main

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "multicut.cli":
            try:
                os.kill(os.getpid(), signal.SIGINT)
            except KeyboardInterrupt:
                {instead}

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Finder)
sys.exit(main())
"""


@pytest.fixture
def shell(problem_file):
    """Run a command line in a shell, `multicut` and `FILE` replaced."""

    def run(line: str) -> subprocess.CompletedProcess[str]:
        program = f"{shlex.quote(sys.executable)} -m multicut"
        line = line.replace("multicut", program).replace("FILE", shlex.quote(str(problem_file)))
        return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False)

    return run


def test_closed_streams(shell, tmp_path, problem):
    done = shell(f"multicut solve FILE -s gaec -o {tmp_path}/labels.npy >&-")
    assert (done.returncode, done.stdout) == (0, "")
    assert "error" not in done.stderr
    done = shell(f"multicut solve FILE -s gaec -o {tmp_path}/labels.csv <&- >&- 2>&-")
    assert done.returncode == 0
    assert len((tmp_path / "labels.csv").read_text().splitlines()) == problem.num_nodes + 1
    done = shell("multicut solve FILE -s gaec --json <&-")
    assert done.returncode == 0
    assert '"solver": "gaec"' in done.stdout


def test_closed_streams_that_are_needed(shell):
    done = shell("multicut solve - <&-")
    assert done.returncode == 2
    assert done.stderr == "error: stdin is closed; name a file instead of -\n"
    done = shell("multicut convert FILE - --to npz >&-")
    assert done.returncode == 2
    assert done.stderr == "error: stdout is closed; name a file instead of -\n"


def test_nothing_is_said_to_be_written_to_a_pipe_that_nobody_reads(shell):
    done = shell("(multicut convert FILE - --to npz; echo code $? >&2) | exec 0<&-")
    assert "Written" not in done.stderr
    assert done.stderr.splitlines()[-1] == "code 1"


@pytest.mark.parametrize("instead", ["raise", "raise ImportError('lost')", "return None"])
def test_interrupt_while_the_program_starts(instead):
    code = INTERRUPTED_IMPORT.format(instead=instead)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


def test_full_disk_is_told_in_one_line(shell, tmp_path):
    (tmp_path / "labels.csv").symlink_to("/dev/full")
    done = shell(f"multicut solve FILE -s gaec --json -o {tmp_path}/labels.csv")
    assert done.returncode == 2
    assert done.stderr == f"error: {tmp_path}/labels.csv: No space left on device\n"


def test_names_come_back(multicut, tmp_path):
    (tmp_path / "pairs.csv").write_text("id1,id2,cost\nanna,Bob Smith,1.5\nBob Smith,eve,-2\n")
    outcome = multicut("solve", tmp_path / "pairs.csv", "-o", tmp_path / "labels.csv")
    assert outcome.code == 0
    rows = (tmp_path / "labels.csv").read_text().splitlines()
    assert rows == ["node,label", "anna,0", "Bob Smith,0", "eve,1"]
    multicut("convert", tmp_path / "pairs.csv", tmp_path / "pairs.npz")
    assert mc.read(tmp_path / "pairs.npz").node_ids.tolist() == ["anna", "Bob Smith", "eve"]
    outcome = multicut("convert", tmp_path / "pairs.csv", tmp_path / "pairs.txt")
    assert outcome.code == 2
    assert "stores integer node ids only, got 'anna'; write with --to npz" in outcome.stderr
