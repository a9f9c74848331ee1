"""A few graphs that are solved together: what a worker does, and what it hands back."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from multicut._arrays import BoolArray, FloatArray
from multicut.datasets.dataset import Dataset
from multicut.datasets.labelling.job import SOLVER_SEED, Job
from multicut.io.errors import DAMAGE
from multicut.solve import solve


@dataclass(frozen=True, eq=False)
class Chunk:
    """Labels of the graphs ``first … last-1``.

    Attributes
    ----------
    cut
        Flags of all edges, one graph behind the other.
    objective, lower_bound
        Per graph.
    fingerprint
        Checksum of the graphs that were solved.
    """

    first: int
    last: int
    cut: BoolArray
    objective: FloatArray
    lower_bound: FloatArray
    fingerprint: str

    @property
    def num_unproven(self) -> int:
        """How many solutions are not proven to be optimal."""
        return int(np.count_nonzero(~(self.lower_bound >= self.objective)))

    def to_bytes(self) -> bytes:
        """Return the content of the chunk's file; equal labels give equal bytes."""
        buffer = io.BytesIO()
        np.savez(
            buffer,
            range=np.array([self.first, self.last]),
            num_edges=np.array(len(self.cut)),
            cut=np.packbits(self.cut),
            objective=self.objective,
            lower_bound=self.lower_bound,
            fingerprint=np.array(self.fingerprint),
        )
        return buffer.getvalue()

    @classmethod
    def of_bytes(cls, content: bytes) -> Self | None:
        """Read the content of a chunk's file; None if it is damaged."""
        try:
            with np.load(io.BytesIO(content), allow_pickle=False) as archive:
                first, last = archive["range"].tolist()
                bits: NDArray[np.uint8] = archive["cut"]
                return cls(
                    first=first,
                    last=last,
                    cut=np.unpackbits(bits, count=int(archive["num_edges"])).astype(bool),
                    objective=archive["objective"],
                    lower_bound=archive["lower_bound"],
                    fingerprint=str(archive["fingerprint"]),
                )
        except (*DAMAGE, ValueError, TypeError):
            return None


def label_chunk(job_values: Mapping[str, Any], first: int, last: int) -> bytes:
    """Draw the graphs ``first … last-1`` of a job and solve them; runs in a worker."""
    job = Job(**job_values)
    return label_graphs(job, first, last).to_bytes()


def label_graphs(job: Job, first: int, last: int) -> Chunk:
    """Draw the graphs ``first … last-1`` of a job and solve them."""
    assert job.solver is not None
    arrays = job.draw(first, last)
    results = []
    for problem in Dataset(arrays):
        result = solve(problem, job.solver, job.time_limit, SOLVER_SEED)
        if result.stopped_by == "interrupt":
            # Its best solution so far is not what an undisturbed run would give.
            raise KeyboardInterrupt
        results.append(result)
    bounds = [-np.inf if r.lower_bound is None else r.lower_bound for r in results]
    return Chunk(
        first=first,
        last=last,
        cut=np.concatenate([result.cut for result in results]),
        objective=np.array([result.objective for result in results]),
        lower_bound=np.array(bounds),
        fingerprint=arrays.fingerprint(),
    )
