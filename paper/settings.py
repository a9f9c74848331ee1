"""What a run of the paper's tables is to measure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from multicut.benchmark.cache import Cache
from multicut.benchmark.settings import PartwiseSettings
from paper.environment import describe


@dataclass(frozen=True)
class PaperSettings(PartwiseSettings):
    """How much is measured, on what, and where it goes.

    Attributes
    ----------
    output
        The folder for ``results.md`` and ``results.json``; figures go to ``images`` inside it.
    cache
        The folder for the measurements, a JSON file for each part.
    data
        The folder with BSDS300, CREMI and Knott, or with their stand-ins; None shows what was
        measured before.
    curves
        The folder with the validation curves of training runs.
    num_graphs
        How many graphs of each test set are measured.
    sizes
        Numbers of nodes in the scaling study.
    time_limit
        Seconds for one classical solver on one graph.
    device
        Where networks run. What is measured on another device than the processor is a part of its
        own, such as ``table2-cuda``, since it comes from another machine as a rule.
    command
        What was typed, for the record.
    report
        Called with what is about to happen.
    """

    curves: Path = Path("benchmarks/results/training")
    num_graphs: int = 1_000
    sizes: tuple[int, ...] = (10, 100, 1_000, 10_000, 100_000, 1_000_000)
    time_limit: float = 60.0
    command: str = "python -m paper"

    page = "results"

    def open_cache(self, part: str) -> Cache:
        """Open the measurements of one part; what is added tells on what machine."""
        return Cache(self.cache / f"{part}.json", partial(describe, self))
