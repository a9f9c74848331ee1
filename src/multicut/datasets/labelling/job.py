"""What is to be generated and labelled."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from multicut._checks import check_integer, check_number, check_seed
from multicut._version import __version__
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.generate import describe_origin, draw_arrays
from multicut.datasets.generators import get_generator
from multicut.datasets.generators.stream import check_split
from multicut.solvers import check_takes_lifted, get_solver

# Labelling draws random numbers of its own in some solvers; their seed is always this one.
SOLVER_SEED = 0


@dataclass(frozen=True)
class Job:
    """A dataset to be generated, and how its graphs are to be solved.

    Attributes
    ----------
    generator, options, seed, split
        As for :func:`multicut.datasets.generate`; `options` are complete after construction.
    start, num
        The index of the first graph, and the number of graphs.
    solver
        Solves the graphs; None leaves them without labels.
    time_limit
        Seconds for each graph, after which the best solution so far is kept, with its bound. None
        means no limit; only then labels do not depend on the machine.
    chunk_size
        Graphs that are solved, and saved, together.
    """

    generator: str
    num: int
    split: str = "train"
    seed: int = 0
    start: int = 0
    solver: str | None = None
    time_limit: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    chunk_size: int = 32

    def __post_init__(self) -> None:
        record = get_generator(self.generator)
        object.__setattr__(self, "options", asdict(record.parse_options(self.options)))
        check_split(self.split)
        # Plain values, as jobs are kept as JSON: numpy's integers and infinity would not survive.
        object.__setattr__(self, "seed", check_seed(self.seed))
        object.__setattr__(self, "num", check_integer(1, num=self.num))
        object.__setattr__(self, "start", check_integer(0, start=self.start))
        object.__setattr__(self, "chunk_size", check_integer(1, chunk_size=self.chunk_size))
        if self.solver is not None:
            check_takes_lifted(get_solver(self.solver), is_lifted=record.is_lifted)
        if self.time_limit is not None:
            seconds = check_number(0, time_limit=self.time_limit)
            object.__setattr__(self, "time_limit", None if math.isinf(seconds) else seconds)
            if self.solver is None:
                raise ValueError("time_limit is for labelling, but there is no solver")

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, of which ``Job(**values)`` makes the job again."""
        return asdict(self)

    def chunks(self) -> Iterator[tuple[int, int]]:
        """List the first index of each chunk, and the one behind its last."""
        end = self.start + self.num
        for first in range(self.start, end, self.chunk_size):
            yield first, min(first + self.chunk_size, end)

    def draw(self, first: int, last: int) -> DatasetArrays:
        """Draw the graphs ``first … last-1``."""
        record = get_generator(self.generator)
        options = record.parse_options(self.options)
        return draw_arrays(record, options, self.seed, self.split, first, last)

    def describe(self) -> dict[str, Any]:
        """Tell where the dataset comes from, for its header."""
        record = get_generator(self.generator)
        options = record.parse_options(self.options)
        origin = describe_origin(record, options, self.seed, self.split, self.start)
        info = {"generator": origin}
        if self.solver is not None:
            info["labels"] = {
                "solver": self.solver,
                "seed": SOLVER_SEED,
                "time_limit": self.time_limit,
                "multicut": __version__,
            }
        return info
