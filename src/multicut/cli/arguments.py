"""Arguments that several commands share, and parsing of their values."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import IO, Annotated, Any

import typer

STANDARD_STREAM = Path("-")
#: The environment variable for what ``--data`` is by default.
DATA_VARIABLE = "MULTICUT_DATA"


def parse_seconds(text: str) -> float:
    """Read a time."""
    try:
        seconds = float(text)
    except ValueError:
        raise typer.BadParameter(f"expected seconds such as 2.5, got {text!r}") from None
    if not seconds >= 0:
        raise typer.BadParameter(f"expected at least 0 seconds, got {text}")
    return seconds


def time_limit_option(help_text: str, panel: str | None = None) -> Any:
    """Return the option ``--time-limit``, in a panel of the help."""
    return typer.Option(
        "--time-limit",
        "-t",
        metavar="S",
        parser=parse_seconds,
        help=help_text,
        rich_help_panel=panel,
    )


def data_option(help_text: str) -> Any:
    """Return the option ``--data``, with an environment variable as default."""
    return typer.Option("--data", metavar="DIR", envvar=DATA_VARIABLE, help=help_text)


def parse_seed(text: str | int) -> int:
    """Read a seed."""
    try:
        seed = int(text)
    except ValueError:
        raise typer.BadParameter(f"expected a whole number, got {text!r}") from None
    if not 0 <= seed < 2**64:
        raise typer.BadParameter(f"expected at least 0 and below 2^64, got {text}")
    return seed


ProblemFile = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="A problem in any format of `multicut formats`, or a dataset; - reads stdin.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option("--format", metavar="NAME", help="Format of the file; detected by default."),
]
Instance = Annotated[
    str | None,
    typer.Option(
        "--instance",
        metavar="NAME",
        help="Which problem, by name or position, if there are several.",
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", metavar="N", parser=parse_seed, help="Same seed, same result."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")]


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
    return key, _load_array(key, Path(value)) if value.lower().endswith(".npy") else _parse_value(
        value
    )


def parse_options(texts: list[str]) -> dict[str, Any]:
    """Read the options of a solver, each ``key=value``."""
    options: dict[str, Any] = {}
    for text in texts:
        key, value = parse_option(text)
        if key in ("seed", "time_limit"):
            raise ValueError(f"--option {text}: use --{key.replace('_', '-')} instead")
        if key in options:
            raise ValueError(f"--option {key} is given twice")
        options[key] = value
    return options


def _load_array(key: str, path: Path) -> Any:
    from multicut.io.numpy_files import read_npy

    try:
        return read_npy(path)
    except FileNotFoundError:
        raise ValueError(f"--option {key}: there is no file {str(path)!r}") from None
    except ValueError:
        raise ValueError(f"--option {key}: {str(path)!r} is not an array of numbers") from None


def _parse_value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None, "null": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def input_of(path: Path) -> Path | IO[bytes]:
    """Return the input: the file, or stdin for ``-``."""
    if path == STANDARD_STREAM and sys.stdin is None:
        raise ValueError("stdin is closed; name a file instead of -")
    return sys.stdin.buffer if path == STANDARD_STREAM else path


def name_of(path: Path, standard: str = "stdin") -> str:
    """Return the name of a file in messages."""
    return standard if path == STANDARD_STREAM else str(path)


def check_writable(path: Path, option: str, suffixes: tuple[str, ...]) -> None:
    """Raise an error if a file cannot be written, before hours of work."""
    from multicut._target import check_target, ending_of

    if ending_of(path) not in suffixes:
        allowed = ", ".join(suffixes)
        raise ValueError(f"{option} must end in one of {allowed}, got {str(path)!r}")
    try:
        check_target(path)
    except OSError as error:
        raise ValueError(f"{option} {error}") from None


def check_not_read(path: Path, option: str, *inputs: Path | str | None) -> None:
    """Raise an error if an output is an input under any name or link.

    Of a folder that is read all files count, and a new file in it would be read the next time.
    """
    for given in inputs:
        if given is None:
            continue
        if lies_in(path, Path(given)):
            raise ValueError(
                f"{option} {path} lies in the folder {given}, which is read; name a file outside it"
            )
        if _is_read_from(path, Path(given)):
            raise ValueError(
                f"{option} {path} would overwrite the input "
                f"{name_of(Path(given))}; name another file"
            )


def lies_in(path: Path, folder: Path) -> bool:
    """Whether a path leads into a folder, also by links; the folder itself does not."""
    return folder.is_dir() and folder.resolve() in path.resolve().parents


def _is_read_from(path: Path, given: Path) -> bool:
    """Whether a file is the input, or a link in the folder that is the input leads to it."""
    if not path.is_file():
        return False
    place = path.stat()
    if given == STANDARD_STREAM:
        found = [] if sys.stdin is None else [_stat_of(sys.stdin)]
    elif given.is_dir():
        found = [entry.stat() for entry in given.iterdir() if entry.exists()]
    else:
        found = [given.stat()] if given.exists() else []
    return any(one is not None and os.path.samestat(place, one) for one in found)


def _stat_of(stream: IO[str]) -> os.stat_result | None:
    try:
        return os.fstat(stream.fileno())
    except (OSError, ValueError):  # closed, or no file at all
        return None


def make_folder(path: Path, option: str) -> None:
    """Make a folder; raise an error if it cannot be written to."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ValueError(
            f"{option} {path}: the folder cannot be created ({error.strerror})"
        ) from None
    if not os.access(path, os.W_OK):
        raise ValueError(f"{option} {path}: the folder is not writable")


def check_data(folder: Path | None) -> Path | None:
    """Raise an error if the folder of ``--data`` does not exist."""
    if folder is not None and not folder.is_dir():
        raise ValueError(f"--data {str(folder)!r}: no such folder")
    return folder
