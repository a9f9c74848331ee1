"""All commands and options of the command line, from the command line itself."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import typer

from multicut.cli.program import app


def commands_page() -> str:
    """Return a page with a section for each command."""
    lines = [
        "# All commands and options",
        "",
        "Generated from the program; `multicut COMMAND --help` prints the same. "
        "[In use](../command-line.md) shows examples.",
        "",
    ]
    for path, command in leaf_commands():
        lines += _section(path, command)
    return "\n".join(lines)


def leaf_commands() -> Iterator[tuple[str, Any]]:
    """List the commands that do something, with the words that call them."""
    yield from _leaves("multicut", typer.main.get_command(app))


def _leaves(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    children = getattr(command, "commands", None)
    if children is None:
        yield path, command
        return
    for name, child in children.items():
        yield from _leaves(f"{path} {name}", child)


def _section(path: str, command: Any) -> list[str]:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option" and not p.hidden]
    usage = " ".join([path, "[OPTIONS]" if options else "", *(_usage(a) for a in arguments)])
    lines = [f"## {path}", "", "```text", " ".join(usage.split()), "```", ""]
    lines += [inspect.cleandoc(command.help or ""), ""]
    lines += _table("argument", [(f"`{_metavar(a)}`", a) for a in arguments])
    lines += _table("option", [(_spelling(option), option) for option in options])
    return lines


def _table(kind: str, rows: list[tuple[str, Any]]) -> list[str]:
    if not rows:
        return []
    lines = [f"| {kind} | default | |", "|---|---|---|"]
    for spelling, parameter in rows:
        text = " ".join((parameter.help or "").split()).replace("|", "\\|")
        lines.append(f"| {spelling} | {_default(parameter)} | {text} |")
    return [*lines, ""]


def _spelling(option: Any) -> str:
    names = [*sorted(option.opts, key=len, reverse=True), *option.secondary_opts]
    value = "" if option.is_flag else f" {_metavar(option)}"
    return ", ".join(f"`{name}{value if i == 0 else ''}`" for i, name in enumerate(names))


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    default = parameter.default
    if default is None or default is False or default == () or callable(default):
        return ""
    if default is True:
        return f"`{parameter.opts[0]}`"
    return f"`{getattr(default, 'value', default)}`"


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _usage(argument: Any) -> str:
    text = _metavar(argument) + ("..." if argument.nargs == -1 else "")
    return text if argument.required else f"[{text}]"
