"""What docs/vision.md shows is what happens, and its tables are those of the registries."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from multicut.cli import main
from multicut.vision import list_costs, list_superpixels

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "vision.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
COMMANDS = re.findall(r"^\$ multicut (.*)$", PAGE, re.MULTILINE)


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run(snippet, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(snippet, {})


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = shlex.split(command)
    assert main(arguments) == 0
    for name in re.findall(r"\S+\.(?:png|jpg)", command):
        assert (tmp_path / name).is_file()


@pytest.mark.parametrize(
    ("title", "records"), [("Superpixels", list_superpixels()), ("Costs", list_costs())]
)
def test_tables_list_all_parameters_as_they_are(title, records):
    section = re.search(rf"### {title}\n(.*?)\n##", PAGE, re.DOTALL).group(1)
    rows = re.findall(r"^\| (?:`(\S+)` )?\| `(\w+)` \| (.*?) \| (.*?) \|$", section, re.MULTILINE)
    expected = []
    for record in records:
        for i, (name, default) in enumerate(record.option_defaults().items()):
            meaning = record.option_meanings()[name]
            expected.append((record.name if i == 0 else "", name, str(default), meaning))
    assert rows == expected


def test_pictures_are_there():
    for name in re.findall(r"\(images/(\S+)\)", PAGE):
        assert (ROOT / "docs" / "images" / name).is_file()
