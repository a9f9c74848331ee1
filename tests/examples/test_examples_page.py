"""Each example is listed, and can be run as a script."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.examples.load import FOLDER

EXAMPLES = sorted(FOLDER.glob("*.py"))
PAGES = [FOLDER / "README.md", FOLDER.parent / "docs" / "examples.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.parent.name)
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_each_example_is_listed(page, example):
    assert example.name in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_each_example_has_a_test_and_says_how_to_run_it(example):
    assert (Path(__file__).parent / f"test_{example.name}").exists()
    assert f"python examples/{example.name}" in example.read_text(encoding="utf-8")


def test_as_a_script(tmp_path):
    command = [sys.executable, FOLDER / "tracking.py", "--num-objects", "5", "--num-frames", "12"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert done.stdout.startswith("5 objects in 12 frames")
    assert list(tmp_path.iterdir()) == []  # no picture unless asked for
