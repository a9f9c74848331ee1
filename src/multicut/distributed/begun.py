"""The folder of a computation keeps its arguments, so that only the same one goes on there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from multicut._target import LOCK, locked_folder, write_whole


@contextmanager
def working_in(
    folder: Path, name: str, arguments: Mapping[str, Any], *, hidden: Sequence[str] = ()
) -> Iterator[Path]:
    """Make a folder or go on in it, keep other processes out meanwhile, and yield its full path.

    A folder that was begun with other arguments, or that holds files of somebody else, is an error
    of one line.

    Parameters
    ----------
    folder
        The folder of the computation.
    name
        The file in it that keeps the arguments.
    arguments
        Plain values by name.
    hidden
        Names of those that are too long to be shown in the message.
    """
    content = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    if name not in content and content - {LOCK}:
        raise FileExistsError(
            f"{folder}: is needed to work in, but holds other files; move these away"
        )
    folder.mkdir(parents=True, exist_ok=True)
    with locked_folder(folder):
        if not check_begun(folder / name, arguments, hidden=hidden):
            write_whole(folder / name, _as_text(arguments))
        yield folder.resolve()


def check_begun(file: Path, arguments: Mapping[str, Any], *, hidden: Sequence[str] = ()) -> bool:
    """Return whether a computation was begun; if it was with other arguments, that is an error.

    `file` keeps them; see :func:`working_in`.
    """
    text, folder = _as_text(arguments), file.parent
    try:
        begun = dict(json.loads(file.read_bytes()))
    except FileNotFoundError:
        return False
    except (ValueError, TypeError):
        raise ValueError(f"{file}: is damaged; remove {str(folder)!r} and start again") from None
    for key, value in json.loads(text).items():
        if begun.get(key) != value:
            shown = "" if key in hidden else f" {begun.get(key)!r}, not {value!r}"
            raise ValueError(
                f"{folder}: was begun with another {key}{shown}; continue with that or remove the "
                f"folder"
            )
    return True


def _as_text(arguments: Mapping[str, Any]) -> str:
    try:
        return json.dumps(arguments, indent=1)
    except TypeError:
        raise TypeError(
            "options of a distributed solve must be plain values: numbers, texts, flags or None"
        ) from None
