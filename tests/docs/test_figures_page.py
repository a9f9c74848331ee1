"""What docs/figures.md shows is what happens, and it lists every figure."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import matplotlib as mpl
import pytest

from multicut import plotting
from multicut.cli import main

PATH = Path(__file__).parents[2] / "docs" / "figures.md"
PAGE = PATH.read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("number", range(len(SNIPPETS)))
def test_snippets_run(number, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    import matplotlib.pyplot as plt

    try:
        exec(SNIPPETS[number], {})
    finally:
        plt.close("all")
    for name in re.findall(r'savefig\("(.*?)"', SNIPPETS[number]):
        assert (tmp_path / name).stat().st_size > 1000


def test_commands_print_what_the_page_says(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    block = re.search(r"```console\n(.*?)```", PAGE, re.DOTALL).group(1)
    examples = [part.split("\n", 1) for part in block.split("$ ")[1:]]
    assert len(examples) > 5
    for command, expected in examples:
        if not command.startswith("multicut "):
            subprocess.run(command, shell=True, check=True)
            continue
        assert main(shlex.split(command)[1:]) == 0
        assert capsys.readouterr().err == expected
        (name,) = re.findall(r"-o (\S+)", command)
        assert (tmp_path / name).stat().st_size > 1000


def test_page_lists_every_figure():
    listed = set(re.findall(r"^\| `(plot_\w+)\(", PAGE, re.MULTILINE))
    assert listed == {name for name in plotting.__all__ if name.startswith("plot_")}


def test_pictures_are_there():
    for name in re.findall(r"\(images/(\S+)\)", PAGE):
        assert (PATH.parent / "images" / name).is_file()
