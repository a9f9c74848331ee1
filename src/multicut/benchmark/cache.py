"""What has been measured already: one JSON file per part, written after each cell."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Cell = dict[str, Any]


class Cache:
    """Measurements of one part by key; a stopped run goes on where it was.

    Parameters
    ----------
    path
        The file; it need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.cells: dict[str, Cell] = {}
        if path.exists():
            try:
                self.cells = dict(json.loads(path.read_text(encoding="utf-8")))
            except ValueError as error:
                raise ValueError(
                    f"{path} is no readable cache ({error}); delete it to measure anew"
                ) from None

    def get(self, key: str, measure: Callable[[], Cell]) -> Cell:
        """Return the cell of a key, and measure it if there is none."""
        if key not in self.cells:
            self.cells[key] = measure()
            self._write()
        return self.cells[key]

    def _write(self) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.path.with_suffix(".partial")
        text = json.dumps(self.cells, indent=1, sort_keys=True, allow_nan=False)
        partial.write_text(text + "\n", encoding="utf-8")
        partial.replace(self.path)
