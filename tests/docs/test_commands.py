"""Commands that the documentation shows exist, with the options that it shows."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
import typer

import multicut as mc
from multicut.cli.program import app
from tests.docs.snippets import PAGES, ROOT, blocks_of

# Of the system; what they do is not ours to test.
OTHER_PROGRAMS = {"dask", "git", "printf", "tensorboard", "torchrun", "zcat"}
NAMES_OF_SOLVERS = ("--solver", "--label", "--compare")


def shown_commands() -> Iterator[tuple[str, list[str]]]:
    """Each command of a block for a shell, as its words, with the place where it stands."""
    for page in (*PAGES, "paper/README.md"):
        for block in blocks_of(page):
            if block.language not in ("console", "sh"):
                continue
            for number, line in enumerate(block.text.splitlines(), block.line):
                if block.language == "console" and not line.startswith("$ "):
                    continue  # what the command prints
                for words in simple_commands(line.removeprefix("$ ")):
                    yield f"{page}:{number}", words


def simple_commands(line: str) -> Iterator[list[str]]:
    """Split a line at pipes and the like; redirections and comments are dropped."""
    words: list[str] = []
    skips_file = False
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    for word in lexer:
        if set(word) <= set("|&;"):
            yield words
            words = []
        elif set(word) <= set("<>"):
            skips_file = True
        elif skips_file:
            skips_file = False
        else:
            words.append(word)
    if words:
        yield words


def find_command(words: list[str]) -> tuple[Any, list[str]]:
    """Follow the words to a command; return it and the words that are left."""
    command = typer.main.get_command(app)
    words = words[1:]
    while hasattr(command, "commands") and words and words[0] in command.commands:
        command = command.commands[words[0]]
        words = words[1:]
    if words and hasattr(command, "default_command"):
        command = command.commands[command.default_command]
    return command, words


def check_multicut(words: list[str]) -> None:
    command, arguments = find_command(words)
    if hasattr(command, "commands"):
        options = {name for option in command.params for name in option.opts}
        assert arguments, "a command is missing"
        assert set(arguments) <= options | {"--help"}, f"no command {arguments[0]!r}"
        return
    context = command.context_class(command, info_name=" ".join(words))
    given, left, _ = command.make_parser(context).parse_args(list(arguments))
    assert not left, f"unexpected {left}"
    for parameter in command.params:
        value = given.get(parameter.name)
        assert value or not parameter.required, f"{parameter.name} is missing"
        if set(parameter.opts) & set(NAMES_OF_SOLVERS) and value:
            solvers = {record.name for record in mc.list_solvers()}
            several = value if isinstance(value, list | tuple) else [value]
            named = {name for text in several for name in text.split(",")}
            assert named <= solvers, f"no solver {named - solvers}"


def check_pip(words: list[str]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extras in re.findall(r"\[(.*?)\]", " ".join(words)):
        known = project["optional-dependencies"]
        assert set(extras.split(",")) <= known.keys(), f"no extra {extras!r}"


def check_make(words: list[str]) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    for word in words[1:]:
        assert "=" in word or word in targets, f"no target {word!r}"


def check(words: list[str]) -> None:
    if words[:3] == ["python", "-m", "multicut"]:
        words = ["multicut", *words[3:]]
    if words[0] == "multicut":
        check_multicut(words)
    elif words[0] == "pip":
        check_pip(words)
    elif words[0] == "make":
        check_make(words)
    elif words[:2] == ["python", "-m"]:
        assert importlib.util.find_spec(words[2]), f"no module {words[2]!r}"
    elif words[0] == "python":
        assert words[1].startswith("-") or (ROOT / words[1]).exists(), f"no file {words[1]}"
    else:
        assert words[0] in OTHER_PROGRAMS, f"unknown program {words[0]!r}"


COMMANDS = list(shown_commands())


@pytest.mark.parametrize(("place", "words"), COMMANDS, ids=[place for place, _ in COMMANDS])
def test_shown_commands_exist(place, words):
    try:
        check(words)
    except Exception as error:
        # What typer raises is not public in all of its versions, but always has this method.
        message = error.format_message() if hasattr(error, "format_message") else str(error)
        pytest.fail(f"{place}: {' '.join(words)}: {message}")


@pytest.mark.parametrize("page", PAGES)
def test_commands_in_running_text_exist(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    for shown in re.findall(r"(?<!`)`multicut ([a-z][^`]*)`(?!`)", text):
        words = ["multicut", *shown.split()]
        command, left = find_command(words)
        assert len(left) < len(words) - 1, f"{page}: no command `multicut {shown}`"
        known = {name for option in command.params for name in option.opts}
        for word in left:
            option = word.partition("=")[0].strip("[],.…")
            if option.startswith("--"):
                assert option in known | {"--help"}, f"{page}: `multicut {shown}` has no {option}"


@pytest.mark.parametrize(
    "line",
    [
        "multicut solve problem.txt --sovler klj",
        "multicut solve",
        "multicut solve one.txt two.txt",
        "multicut solve problem.txt --solver simplex",
        "multicut slove problem.txt",
        "multicut train --sovler klj",
        "multicut train policy --budgte 3",
        "zcat x | multicut convert - - --into npz",
        'pip install "multicut[everything]"',
        "make coffee",
        "python examples/no_such_file.py",
        "python -m no_such_module --option",
        "python -m paper.no_such_module",
        "some-other-program",
    ],
)
def test_what_is_wrong_is_found(line):
    *fine, wrong = simple_commands(line)
    for words in fine:
        check(words)
    with pytest.raises(Exception):  # noqa: B017, PT011
        check(wrong)
