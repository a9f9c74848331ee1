"""Test values of an earlier record that hold for the record that replaces it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def keep_tests(record: dict[str, Any], curve: str, path: Path) -> None:
    """Add to a record the values on test sets that were not measured now, if they are of its run.

    Values of another run are of other weights; they are dropped, and a line says so.

    Parameters
    ----------
    record
        The record to write; its ``test`` and ``stand_ins`` may get more entries.
    curve
        Its validation curve as it is written. Runs with the same curve are the same run.
    path
        Where the record goes and the earlier one lies, with its curve beside it.
    """
    if not path.exists():
        return
    earlier = json.loads(path.read_text(encoding="utf-8"))
    others = [name for name in earlier.get("test", {}) if name not in record["test"]]
    if not others:
        return
    before = path.with_suffix(".csv").read_text(encoding="utf-8")
    if (earlier["best_instances"], before) != (record["best_instances"], curve):
        print(
            f"{path}: the values on {', '.join(others)} were of other weights and are dropped; "
            f"measure them again with --data"
        )
        return
    for name in others:
        record["test"][name] = earlier["test"][name]
        if name in earlier["stand_ins"] and name not in record["stand_ins"]:
            record["stand_ins"].append(name)
