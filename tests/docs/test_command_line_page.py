"""What docs/command-line.md shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "command-line.md"


def examples() -> list[tuple[str, list[str]]]:
    """Commands of the page with the lines they are said to print."""
    found: list[tuple[str, list[str]]] = []
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def same_times(lines: list[str]) -> list[str]:
    """Replace what changes from run to run, or with the version of a library."""
    return [re.sub(r"\d+\.\d+ s|[\d,]+ bytes", "…", line) for line in lines]


def test_examples(tmp_path):
    folder = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
    commands = [example for example in examples() if not example[0].startswith("multicut demo")]
    assert len(commands) >= 4
    for command, expected in commands:
        done = subprocess.run(
            command,
            shell=True,
            cwd=tmp_path,
            env=environment,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert done.returncode == 0, done.stdout
        if expected:
            assert same_times(done.stdout.splitlines()) == same_times(expected)
