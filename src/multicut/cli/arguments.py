"""Arguments that several commands share, and the reading of their values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer


def parse_seconds(text: str) -> float:
    """Read a time."""
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"expected seconds such as 2.5, got {text!r}") from None


def parse_integer(text: str | int) -> int:
    """Read a whole number."""
    try:
        return int(text)
    except ValueError:
        raise typer.BadParameter(f"expected a whole number, got {text!r}") from None


ProblemFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A problem in any format of `multicut formats`.")
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="The file's format; recognised by default."),
]
Instance = Annotated[
    str | None,
    typer.Option("--instance", metavar="NAME", help="Which problem, if the file holds several."),
]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="N", parser=parse_integer, help="Same seed, same result."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs to read.")]


def parse_option(text: str) -> tuple[str, Any]:
    """Split ``key=value``.

    A value that ends in ``.npy`` is read from that file. Else it is a number, true, false, none or
    text.
    """
    key, equals, value = text.partition("=")
    key = key.strip().replace("-", "_")
    if not equals or not key:
        raise ValueError(f"--option must look like key=value, got {text!r}")
    value = value.strip()
    return key, _load_array(key, Path(value)) if value.endswith(".npy") else _parse_value(value)


def _load_array(key: str, path: Path) -> Any:
    import numpy as np

    try:
        return np.load(path, allow_pickle=False)
    except FileNotFoundError:
        raise ValueError(f"--option {key}: there is no file {str(path)!r}") from None
    except (ValueError, EOFError):
        raise ValueError(f"--option {key}: {str(path)!r} is not an array of numbers") from None


def _parse_value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def check_writable(path: Path, option: str, suffixes: tuple[str, ...]) -> None:
    """Refuse a file that could not be written, before hours of work are put into its content."""
    if path.suffix not in suffixes:
        allowed = ", ".join(suffixes)
        raise ValueError(f"{option} must end in one of {allowed}, got {str(path)!r}")
    if not path.parent.is_dir():
        raise ValueError(
            f"{option} {str(path)!r}: there is no folder {str(path.parent)!r}; make it"
        )
