"""What has been measured already: one JSON file per part, written after each cell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from multicut._target import write_whole

Cell = dict[str, Any]
#: The cell that tells on what machine the latest measurement was made.
ENVIRONMENT = "environment"


class Cache:
    """Measurements of one part by key; a stopped run resumes.

    Parameters
    ----------
    path
        The file; it need not exist yet.
    environment
        Describes the machine; kept beside what is measured on it.
    """

    def __init__(self, path: Path, environment: Callable[[], Cell] | None = None) -> None:
        self.path = path
        self._environment = environment
        self.cells: dict[str, Cell] = {}
        if path.exists():
            try:
                self.cells = dict(json.loads(path.read_text(encoding="utf-8")))
            except ValueError as error:
                raise ValueError(
                    f"{path} is not a readable cache ({error}); delete it to measure again"
                ) from None

    def get(self, key: str, measure: Callable[[], Cell]) -> Cell:
        """Return the cell of a key, and measure it if there is none."""
        if key not in self.cells:
            self.put(key, measure())
        return self.cells[key]

    def put(self, key: str, cell: Cell) -> None:
        """Keep a cell, in place of one with the same key."""
        self.cells[key] = cell
        if self._environment is not None:
            self.cells[ENVIRONMENT] = self._environment()
        self._write()

    @property
    def environment(self) -> Cell | None:
        """The machine of the latest measurement, where it is known."""
        return self.cells.get(ENVIRONMENT)

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.cells, indent=1, sort_keys=True, allow_nan=False)
        write_whole(self.path, text + "\n")
