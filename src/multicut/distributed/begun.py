"""The arguments of a computation, kept in its folder, so that only the same one goes on there."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from multicut._target import write_whole


def keep_arguments(file: Path, wanted: Mapping[str, Any], *, hidden: Sequence[str] = ()) -> None:
    """Write arguments into a folder; if it holds others, that is an error of one line.

    Parameters
    ----------
    file
        Where they are kept, in the folder of the computation.
    wanted
        The arguments by name.
    hidden
        Names of those that are too long to be shown in the message.
    """
    try:
        text = json.dumps(wanted, indent=1)
    except TypeError:
        raise TypeError(
            "options of a distributed solve must be plain values: numbers, texts, flags or None"
        ) from None
    folder = file.parent
    try:
        begun = dict(json.loads(file.read_bytes()))
    except FileNotFoundError:
        write_whole(file, text)
        return
    except (ValueError, TypeError):
        raise ValueError(f"{file}: is damaged; remove {str(folder)!r} and start again") from None
    for key, value in json.loads(text).items():
        if begun.get(key) != value:
            shown = "" if key in hidden else f" {begun.get(key)!r}, not {value!r}"
            raise ValueError(
                f"{folder}: was begun with another {key}{shown}; continue with that or remove the "
                f"folder"
            )
