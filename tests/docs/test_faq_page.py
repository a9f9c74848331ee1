"""What docs/faq.md and README.md say about extras is so."""

from __future__ import annotations

import re
import tomllib

import pytest

from tests.docs.snippets import ROOT

# What users do not need.
OF_DEVELOPERS = {"bench", "dev", "docs"}


@pytest.mark.parametrize("page", ["README.md", "docs/faq.md"])
def test_all_extras_are_listed(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    table = text.split("| extra | adds |\n|---|---|\n")[1].split("\n\n")[0]
    first_cells = " ".join(line.split("|")[1] for line in table.splitlines())
    listed = set(re.findall(r"`(\w+)`", first_cells)) | {"all"}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert listed == project["optional-dependencies"].keys() - OF_DEVELOPERS


def test_the_core_is_what_it_is_said_to_be():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needed = [re.match(r"[\w-]+", each)[0] for each in project["dependencies"]]
    text = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    (said,) = re.findall(r"It needs (.*?) only\.", text)
    assert sorted(re.split(r", | and ", said)) == sorted(needed)
