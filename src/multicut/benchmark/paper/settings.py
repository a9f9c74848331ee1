"""What a run of the paper's tables is to measure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from multicut.benchmark.cache import Cache


def _silent(_: str) -> None:
    return None


@dataclass(frozen=True)
class PaperSettings:
    """How much is measured, on what, and where it goes.

    Attributes
    ----------
    output
        The folder for ``results.md``; figures go to ``images`` inside it.
    cache
        The folder for the measurements, a JSON file for each part.
    data
        The folder with BSDS300, CREMI and Knott, or with their stand-ins; None leaves them out.
    curves
        The folder with the validation curves of training runs.
    num_graphs
        How many graphs of each test set are measured.
    sizes
        Numbers of nodes in the scaling study.
    time_limit
        Seconds for one classical solver on one graph.
    device
        Where networks run, besides the CPU in the scaling study.
    report
        Called with what is about to happen.
    """

    output: Path
    cache: Path
    data: Path | None = None
    curves: Path = Path("benchmarks/results/training")
    num_graphs: int = 1_000
    sizes: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
    time_limit: float = 60.0
    device: str = "cpu"
    report: Callable[[str], Any] = _silent

    def open_cache(self, part: str) -> Cache:
        """Open the measurements of one part."""
        return Cache(self.cache / f"{part}.json")

    def picture(self, name: str) -> Path:
        """Return where a figure goes; its folder is made."""
        folder = self.output / "images"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"results-{name}.png"

    def with_report(self, report: Callable[[str], Any]) -> PaperSettings:
        """Return the same settings with another listener."""
        return replace(self, report=report)
