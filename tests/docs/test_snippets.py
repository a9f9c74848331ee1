"""Every Python block of the documentation runs, and does what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.snippets import PAGES, ROOT, Block, Program, blocks_of, programs_of

PROGRAMS = [program for page in PAGES for program in programs_of(page)]


@pytest.mark.parametrize("program", PROGRAMS, ids=[program.place for program in PROGRAMS])
def test_snippets_run_and_give_what_they_say(program, tmp_path, monkeypatch):
    if program.run_by:
        program.compiled()
        page = Path(program.blocks[0].page).name
        assert f'"{page}"' in (ROOT / program.run_by).read_text(encoding="utf-8")
        return
    if program.needs_cuda:
        import torch

        program.compiled()
        if not torch.cuda.is_available():
            pytest.skip("needs a GPU")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "agg")
    program.run()


def test_no_python_hides_under_another_name():
    names = {block.language for page in PAGES for block in blocks_of(page)}
    assert names <= {"python", "console", "sh", "text", "toml", "json", "html", "mermaid", ""}


@pytest.mark.parametrize(
    "text",
    ["1 + 1  # → 3", "x = 2  # → 2", "print('a')  # → b", "raise ValueError", "1 +"],
)
def test_what_is_wrong_is_found(text):
    program = Program([Block("page.md", 1, "python", "", text + "\n")])
    with pytest.raises((AssertionError, ValueError, SyntaxError)):
        program.run()


def test_claims_and_continuations():
    first = Block("page.md", 1, "python", "", "x = 2\nx + 1  # → 3: three\nprint(x)  # → 2\n")
    second = Block("page.md", 9, "python", "continues", "print('x is', x)\n")
    Program([first, second], {1: "x is 2\n"}).run()
    with pytest.raises(AssertionError, match=r"page\.md:9"):
        Program([first, second], {1: "x is 3\n"}).run()
