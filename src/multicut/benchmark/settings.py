"""What all benchmarks that run in parts need to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Self

from multicut.benchmark.cache import Cache


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True)
class PartwiseSettings:
    """Where measurements, pages and figures go.

    Attributes
    ----------
    output
        The folder for the page; figures go to ``images`` inside it.
    cache
        The folder for the measurements, a JSON file for each part.
    data
        The folder with files of graphs; None leaves them out.
    device
        Where networks run.
    report
        Called with what is about to happen.
    """

    output: Path
    cache: Path
    data: Path | None = None
    device: str = "cpu"
    report: Callable[[str], Any] = _silent

    page: ClassVar[str]

    def open_cache(self, part: str) -> Cache:
        """Open the measurements of one part."""
        return Cache(self.cache / f"{part}.json")

    def picture(self, name: str) -> Path:
        """Return where a figure goes; its folder is made."""
        folder = self.output / "images"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{self.page}-{name}.png"

    def with_report(self, report: Callable[[str], Any]) -> Self:
        """Return the same settings with another listener."""
        return replace(self, report=report)
