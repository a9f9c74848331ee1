"""Code blocks of the documentation, and what their marks mean.

A block that begins with three backticks and ``python`` is run by the tests, in an empty folder. A
comment on the line before it may say more:

``<!-- snippet: continues -->``
    It goes on where the previous Python block ended: same names, same folder.
``<!-- snippet: needs cuda -->``
    It is run only where torch finds a GPU; elsewhere it is compiled.
``<!-- snippet: run by tests/docs/test_app_page.py -->``
    That test runs it, since it needs more than an empty folder; here it is compiled.
``<!-- snippet: prints -->``
    For a block of text: it is what the Python block before it prints.

In Python, ``value  # → 3`` is a claim: the line has to be an expression whose ``repr`` is what the
comment says, or begins with, up to a colon. For ``print(…)  # → text`` it is the text printed.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/*.md"))
)

_MARK = re.compile(r"\s*<!-- snippet: (.*) -->\s*$")
_FENCE = re.compile(r"(\s*)(```+|~~~+)\s*(\S*)")
_CLAIM = re.compile(r"  # → (.*)$")


@dataclass(frozen=True)
class Block:
    """A code block: its language, the mark before it, its text and where the text begins."""

    page: str
    line: int
    language: str
    mark: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Program:
    """A Python block with those that continue it, and what they are said to print."""

    blocks: list[Block] = field(default_factory=list)
    printed: dict[int, str] = field(default_factory=dict)  # by the position of the block

    @property
    def place(self) -> str:
        return self.blocks[0].place

    @property
    def needs_cuda(self) -> bool:
        return any(block.mark == "needs cuda" for block in self.blocks)

    @property
    def run_by(self) -> str:
        """The test that runs it, where that is not this one."""
        return self.blocks[0].mark.partition("run by ")[2]

    def compiled(self) -> None:
        """Check the syntax alone."""
        for block in self.blocks:
            ast.parse(block.text, block.page)

    def run(self) -> None:
        """Run all blocks in one namespace; a wrong claim is an AssertionError."""
        names: dict[str, Any] = {"__name__": "__main__"}
        for position, block in enumerate(self.blocks):
            output = _run_block(block, names)
            if position in self.printed:
                assert output.strip() == self.printed[position].strip(), block.place


def blocks_of(page: str) -> Iterator[Block]:
    """Read the code blocks of a page."""
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    number = 0
    while number < len(lines):
        opening = _FENCE.match(lines[number])
        if opening is None:
            number += 1
            continue
        marked = _MARK.match(lines[number - 1]) if number else None
        first = number + 1
        number = first
        while not lines[number].strip().startswith(opening[2]):
            number += 1
        text = textwrap.dedent("\n".join(lines[first:number]) + "\n")
        yield Block(page, first + 1, opening[3], marked[1] if marked else "", text)
        number += 1


def programs_of(page: str) -> list[Program]:
    """Put the Python blocks of a page together; an unknown mark is an error."""
    programs: list[Program] = []
    for block in blocks_of(page):
        if block.mark == "prints" and programs:
            program = programs[-1]
            program.printed[len(program.blocks) - 1] = block.text
        elif block.language != "python":
            if block.mark:
                raise ValueError(f"{block.place}: {block.mark!r} means nothing before this block")
        elif block.mark == "continues" and programs:
            programs[-1].blocks.append(block)
        elif block.mark in ("", "needs cuda") or block.mark.startswith("run by "):
            programs.append(Program([block]))
        else:
            raise ValueError(f"{block.place}: unknown mark {block.mark!r}")
    return programs


def _run_block(block: Block, names: dict[str, Any]) -> str:
    """Run statement by statement, and compare what is claimed on the way; return the output."""
    tree = ast.parse(block.text)
    lines = block.text.splitlines()
    output = io.StringIO()
    for statement in tree.body:
        claim = _CLAIM.search(lines[(statement.end_lineno or statement.lineno) - 1])
        place = f"{block.page}:{block.line + statement.lineno - 1}"
        ast.increment_lineno(statement, block.line - 1)
        with contextlib.redirect_stdout(output):
            before = output.tell()
            if isinstance(statement, ast.Expr):
                code: CodeType = compile(ast.Expression(statement.value), block.page, "eval")
                value = eval(code, names)
            else:
                exec(compile(ast.Module([statement], []), block.page, "exec"), names)
        if claim is not None:
            assert isinstance(statement, ast.Expr), f"{place}: only an expression has a value"
            found = output.getvalue()[before:].strip() if value is None else repr(value)
            claimed = claim[1] == found or claim[1].startswith(f"{found}: ")
            assert claimed, f"{place}: {claim[1]!r} is claimed, but it is {found!r}"
    return output.getvalue()
