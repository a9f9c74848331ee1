"""What README.md shows is what happens."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


def test_there_are_snippets():
    assert len(SNIPPETS) >= 2


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_snippets_run_and_give_what_their_comments_say(snippet):
    namespace: dict[str, object] = {}
    exec(snippet, namespace)
    claims = re.findall(r"^(result\.\S+) +# (.*)$", snippet, re.MULTILINE)
    assert claims
    for expression, claim in claims:
        value = repr(eval(expression, namespace))
        assert claim == value or claim.startswith(f"{value}: ")


def test_links_lead_somewhere():
    root = Path(__file__).parents[2]
    for target in re.findall(r"\]\((?!http)([^)#]+)\)", README):
        assert (root / target).exists(), target
