"""A table for people and JSON for programs, beside each other in a folder."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from multicut._target import write_whole

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def write_pages(
    folder: Path,
    name: str,
    title: str,
    environment: Mapping[str, Any],
    table: Sequence[str],
    rows: Sequence[Mapping[str, Any]],
) -> tuple[Path, Path]:
    """Write NAME.md with the lines of a table and NAME.json with rows into a folder.

    The folder is made if need be. Both tell the environment of the measurements.
    """
    folder.mkdir(parents=True, exist_ok=True)
    page, document = folder / f"{name}.md", folder / f"{name}.json"
    lines = [f"# {title}", ""]
    lines += [f"- {key.replace('_', ' ')}: {value}" for key, value in environment.items()]
    lines += ["", "What the columns mean is in `benchmarks/README.md`.", "", *table]
    write_whole(page, "\n".join(lines) + "\n")
    content = {"environment": environment, "rows": rows}
    write_whole(document, json.dumps(content, indent=2, allow_nan=False) + "\n")
    return page, document
