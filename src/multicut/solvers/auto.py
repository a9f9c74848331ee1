"""The choice between exact, learned and classical solvers, by what has been measured."""

from __future__ import annotations

import ctypes
import math
import os
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from multicut.partition import objective
from multicut.solvers import fusion, learned
from multicut.solvers.attempt import Attempt
from multicut.solvers.protocol import Outcome, SolverRecord, check_integer
from multicut.stop import Stop
from multicut.watch import Watch

if TYPE_CHECKING:
    from multicut.problem import Problem
    from multicut.stop import Progress

# What follows was read from benchmarks/results/auto.json, which benchmarks/auto_measurements.py
# measures; docs/choosing-a-solver.md has the tables.

# A search of this many edges, summed over proposals, takes some ten seconds.
_EDGES_OF_PROPOSALS = 20_000_000
_MAX_PROPOSALS = 1_000
# Without a time limit: proposals in vain before and after the attempt at a proof ...
_PATIENCE, _LONG_PATIENCE = 20, 100
# ... and with one; a thousand in vain mean that more of them will not help, either.
_ENDLESS_PATIENCE = 1_000
# Without a time limit, seconds for a lower bound and for a proof.
_SECONDS_OF_BOUND, _SECONDS_OF_PROOF = 2.0, 5.0
# Of the time left, the shares of a first search, of a lower bound and of a proof.
_SHARE_OF_SEARCH, _SHARE_OF_BOUND, _SHARE_OF_PROOF = 0.4, 0.2, 0.6
# Seconds that a reduction takes for each edge, and the quickest proofs.
_REDUCTION_SECONDS, _PROOF_SECONDS = 3e-6, 3e-5
# Up to this product of gap and edges a proof is likely ...
_SMALL_WEIGHT = 25.0
# ... and up to this gap and so many edges on graphs that are almost complete, where odd wheels
# close most of it; larger ones of these have too many inequalities.
_DENSE, _SMALL_DENSE_GAP, _FEW_DENSE_EDGES = 0.5, 0.06, 2_000
# Linear programs of more edges take too long, one by one.
_MANY_EDGES_OF_PROOF = 100_000
# From so many edges on, the network of `learned` on a GPU is ahead of local search on a CPU; it
# needs so many seconds to get started.
_EDGES_FOR_GPU = 200_000
_SECONDS_FOR_GPU = 10.0


@dataclass(frozen=True)
class AutoOptions:
    """Options of the solver ``auto``.

    Attributes
    ----------
    device
        ``"cuda"`` or ``"cpu"``: whether a network may be asked; by default where there is a GPU,
        for large problems.
    num_threads
        Threads for the solver that is chosen, by default one per processor. The result does not
        depend on their number.
    """

    device: str | None = None
    num_threads: int | None = None

    def __post_init__(self) -> None:
        if self.device is not None and not isinstance(self.device, str):
            raise TypeError(f"device must be a name such as 'cuda' or None, got {self.device!r}")
        if self.num_threads is not None:
            check_integer(1, num_threads=self.num_threads)


def run(problem: Problem, options: AutoOptions, stop: Stop, seed: int) -> Outcome:
    """Solve large problems by ``learned`` if there is a GPU, all others stage by stage.

    These are: ``gaec``; a reduction; ``klj``; ``fusion``; a lower bound; a proof, if the bound is
    close enough; and more fusion moves if there is none.
    """
    if problem.num_edges >= _EDGES_FOR_GPU and stop.seconds >= _SECONDS_FOR_GPU:
        device = _find_gpu(options.device)
        if device is not None:
            return _run_learned(problem, options, stop, seed, device)
    attempt = StagedAttempt(problem, options, stop, seed)
    return attempt.run()


def _run_learned(
    problem: Problem, options: AutoOptions, stop: Stop, seed: int, device: str
) -> Outcome:
    effort = "best" if math.isfinite(stop.seconds) else "fast"
    given = learned.LearnedOptions(device=device, effort=effort, num_threads=options.num_threads)
    outcome = learned.run(problem, given, stop, seed)
    reason = f"learned, since {problem.num_edges:,} edges are many and there is a GPU"
    return replace(
        outcome, solver=learned.RECORD.name, details={"chosen": reason, **outcome.details}
    )


class StagedAttempt(Attempt):
    """One problem that gets as many stages as there is time for.

    Parameters
    ----------
    problem, options, stop, seed
        As the solver gets them.

    Attributes
    ----------
    solver, reason
        Who did the work, and why.
    """

    def __init__(self, problem: Problem, options: AutoOptions, stop: Stop, seed: int) -> None:
        super().__init__(problem, stop)
        self._is_limited = math.isfinite(stop.seconds)
        self._num_threads = options.num_threads or os.cpu_count() or 1
        self._seed = seed
        self._bound = -math.inf  # of the core
        self._is_searched = False  # with all the patience there is
        self.solver = "gaec"
        self.reason = "gaec, since there is no time for more"

    def run(self) -> Outcome:
        """Go through the stages."""
        self.lay_floor()
        if self._reduction_pays():
            self.reduce()
        self._search()
        if self._is_worth_a_proof():
            self.prove(self._share(_SHARE_OF_PROOF, _SECONDS_OF_PROOF))
        if not self._is_proven() and not self._is_searched:
            self._search_on()
        outcome = self.finish()
        bound = None
        if math.isfinite(self._bound):
            bound = min(self._bound + self.reduction.offset, outcome.objective)
            bound = outcome.objective if self._is_proven() else bound
        details = {"chosen": self.reason, **outcome.details}
        return replace(outcome, solver=self.solver, lower_bound=bound, details=details)

    def _reduction_pays(self) -> bool:
        size = self.problem.num_edges
        return size <= fusion.MANY_EDGES and self.watch.seconds_left > 5 * _REDUCTION_SECONDS * size

    def _search(self) -> None:
        """Look for a good partition, and leave time for a proof where there may be one."""
        if self.is_over():
            return
        self.solver = "klj"
        self.reason = f"klj, since {self._size()} leave no time for more"
        self.search_locally(self._seed)
        if self.is_over():
            return
        self.solver = "fusion"
        many = self.core.num_edges > _MANY_EDGES_OF_PROOF
        self.reason = f"fusion, since {self._size()} {'are too many' if many else 'leave no time'} for a proof"
        if self.core.num_edges <= self._most_edges_of_proof():
            self._fuse("fusion", _PATIENCE, self._share(_SHARE_OF_SEARCH, math.inf))
        else:
            self._search_on()

    def _most_edges_of_proof(self) -> float:
        """Return how many edges can be proven in the time there is."""
        return min(_MANY_EDGES_OF_PROOF, self.watch.seconds_left / _PROOF_SECONDS)

    def _is_worth_a_proof(self) -> bool:
        """Compute a lower bound; say whether a proof is likely, or no longer needed."""
        if self.is_over() or self._is_searched:
            return False
        self.reason = f"fusion, since {self._size()} leave no time for a proof"
        if self.core.num_edges > self._most_edges_of_proof():
            return False
        self.bound(self._share(_SHARE_OF_BOUND, _SECONDS_OF_BOUND))
        if self._is_proven():
            self.reason = f"fusion, since a packing of cycles proves it optimal for {self._size()}"
            return False
        num_edges, gap = self.core.num_edges, self._gap()
        if self._is_dense():
            is_likely = num_edges <= _FEW_DENSE_EDGES and gap <= _SMALL_DENSE_GAP
        else:
            is_likely = gap * num_edges <= _SMALL_WEIGHT
        if not is_likely:
            self.reason = f"fusion, since a gap of {gap:.2%} on {self._size()} is too wide to close"
        return is_likely and not self.is_over()

    def _search_on(self) -> None:
        """Use the time that is left, or do as much as a user may expect without a limit."""
        self._is_searched = True
        self._fuse("more_fusion", _ENDLESS_PATIENCE if self._is_limited else _LONG_PATIENCE)

    def _fuse(self, name: str, patience: int, seconds: float = math.inf) -> None:
        # Without a deadline the amount of work is bounded, so that no result depends on a clock.
        most = min(_MAX_PROPOSALS, max(1, _EDGES_OF_PROPOSALS // max(self.core.num_edges, 1)))
        if self._is_limited:
            most = 2**31 - 1
        self.fuse(
            name,
            self._seed if name == "fusion" else (self._seed + 1) % 2**64,
            seconds,
            max_proposals=most,
            patience=patience,
            num_threads=self._num_threads,
        )

    def bound(self, seconds: float) -> None:
        """Bound the core from below."""
        from multicut.bound import bound_from_below, certify

        start = time.perf_counter()
        found, stopped_by = bound_from_below(
            self.core, Stop(seconds), lambda *_: self.is_over(), self._num_threads
        )
        self.seconds["bound"] = time.perf_counter() - start
        if stopped_by == "interrupt":
            self.watch.stopped_by = "interrupt"
        self._raise_bound(certify(self.core, self._objective, found))

    def prove(self, seconds: float) -> None:
        """Prove the partition of the core optimal, or improve it, in so many seconds."""
        from multicut.exact.decomposition import BlockwiseSearch

        assert self.labels is not None
        offset = self.reduction.offset
        start = time.perf_counter()

        def hear(progress: Progress) -> bool:
            self.watch.improved(progress.objective)
            return self.is_over()

        inner = Watch(Stop(seconds, hear))
        search = BlockwiseSearch(self.core, self.labels, inner, offset)
        self.watch.describe = lambda: (self._bound + offset, search.details)
        try:
            search.run(integer=True)
        except KeyboardInterrupt:
            self.watch.stopped_by = "interrupt"
        if inner.stopped_by == "interrupt":
            self.watch.stopped_by = "interrupt"
        self.seconds["ilp"] = time.perf_counter() - start
        self.details |= search.details
        labels = search.labels
        self._take("ilp", labels, objective(self.core, labels))
        self._raise_bound(self._objective if search.is_proven else search.lower_bound)
        self.solver = "ilp"
        if search.is_proven:
            self.reason = f"ilp, since {self._size()} can be proven optimal"
        else:
            self.reason = f"ilp and fusion, since {seconds:.3g} s did not prove {self._size()}"

    def _share(self, share: float, seconds: float) -> float:
        """Return a share of the time that is left, or seconds if there is no limit."""
        return share * self.watch.seconds_left if self._is_limited else seconds

    def _raise_bound(self, bound: float) -> None:
        self._bound = max(self._bound, min(bound, self._objective))

    def _is_proven(self) -> bool:
        return self._bound >= self._objective

    def _gap(self) -> float:
        distance = self._objective - self._bound
        return distance / abs(self._objective) if self._objective else math.inf

    def _is_dense(self) -> bool:
        num_nodes = self.core.num_nodes
        return self.core.num_edges >= _DENSE * num_nodes * (num_nodes - 1) / 2

    def _size(self) -> str:
        num_edges = self.core.num_edges
        return f"{num_edges:,} edges" if num_edges != 1 else "1 edge"


def _find_gpu(device: str | None) -> str | None:
    """Return the GPU that a network can use; without one, torch is not even imported."""
    if device is not None:
        from multicut.models.devices import as_device

        return device if as_device(device).type == "cuda" else None
    if "torch" not in sys.modules:
        library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
        try:
            ctypes.CDLL(library)
        except OSError:
            return None
    import torch

    return "cuda" if torch.cuda.is_available() else None


RECORD = SolverRecord(
    name="auto",
    description="the best of the others for size, density, time limit and device; says why",
    run=run,
    options=AutoOptions,
    needs=("highspy",),
    uses_seed=True,
)
