"""README.md begins with an example, and its links lead somewhere."""

from __future__ import annotations

import re

from tests.docs.snippets import ROOT, programs_of

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_it_begins_with_a_short_example():
    (program, *_) = programs_of("README.md")
    assert program.blocks[0].text.count("# →") >= 3
    assert len(program.blocks[0].text.splitlines()) <= 12


def test_links_lead_somewhere():
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert len(targets) >= 15
    for target in targets:
        assert (ROOT / target).exists(), target
