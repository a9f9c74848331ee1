"""One solver after the other: a good partition first, then a bound, then a proof if one is near."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._words import count
from multicut.partition import objective
from multicut.proof import (
    bound_below,
    bound_of_total,
    certify,
    next_objective,
    rounding_of_total,
    step_of,
)
from multicut.solvers import fusion, memetic
from multicut.solvers.attempt import Attempt
from multicut.solvers.protocol import Outcome
from multicut.stop import Stop, StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.problem import Problem
    from multicut.stop import Progress

# The thresholds were read from benchmarks/results/auto.json, which benchmarks/auto_measurements.py
# measures; docs/auto.md has its table.

# A proof is likely for so few edges: even then when the gap is wide since the partition is bad.
_FEW_EDGES = 500
# Beyond, it is for up to this product of gap and edges ...
_SMALL_WEIGHT = 25.0  # up to 5 most are proven, up to 25 every other, beyond none
# ... except on graphs that are almost complete: odd wheels close any gap of small ones, and larger
# ones have too many inequalities.
_DENSE, _FEW_DENSE_EDGES = 0.5, 5_000
# Of the sum of all |costs|: an objective below it says nothing about the size of a gap.
_ALMOST_ZERO = 0.1
# Linear programs of more edges take too long, one by one.
_MANY_EDGES = 100_000
# Seconds for each edge that a reduction takes, and that the quickest proofs take.
_REDUCTION_SECONDS, _PROOF_SECONDS = 3e-6, 2e-5

# Without a time limit the amount of work is bounded, not the time: then no result depends on a
# clock. Steps of a lower bound, simplex iterations of a proof, or what takes as long as one on a
# small model; proposals in vain before and after that, and edges of all proposals of a search.
# These take ten seconds or so.
_STEPS_OF_BOUND, _ITERATIONS_OF_PROOF = 2_000_000_000, 120_000
_PATIENCE, _LONG_PATIENCE = 20, 100
_MOST_PROPOSALS, _EDGES_OF_PROPOSALS = 1_000, 20_000_000

# With one: shares of what is left of it for a first search, a lower bound and a proof; the last
# search goes on until the end.
_SHARE_OF_SEARCH, _SHARE_OF_BOUND, _SHARE_OF_PROOF = 0.4, 0.2, 0.6
_ENDLESS = 2**31 - 1
_SHARE_OF_REDUCTION = 0.1


class StagedAttempt(Attempt):
    """One problem that gets as many stages as there is time for.

    These are ``gaec``; a reduction; ``dual-greedy``; ``klj``, also from single nodes; fusion moves;
    a lower bound; a proof, if the bound is close; and if nothing is proven, a memetic search until
    the time is up, or without a time limit fusion moves with more patience.

    Parameters
    ----------
    problem, stop, seed
        As the solver gets them.
    num_threads
        For all stages that can use several.
    initial
        Labels that the solution must not be worse than; stages start from them where they are
        better than what ``gaec`` finds.

    Attributes
    ----------
    solver, reason
        Who did the last of the work, and why.
    """

    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        seed: int,
        num_threads: int,
        initial: IntArray | None = None,
    ) -> None:
        super().__init__(problem, stop, initial)
        self._is_limited = math.isfinite(stop.seconds)
        self._seed = seed
        self._num_threads = num_threads
        self._bound = -math.inf  # of the core
        self._heard_bound = -math.inf  # of a proof under way, which tells it now and then
        self._counts: Mapping[str, Any] = {}  # of the proof
        self.watch.describe = self._describe
        self._say("gaec", "gaec: no time left")

    def run(self) -> Outcome:
        """Go through the stages."""
        self.lay_floor()
        if self._reduction_pays():
            self.reduce()
        self._search()
        outcome = self.finish()
        return replace(
            outcome,
            solver=self.solver,
            lower_bound=self._bound_of(outcome.objective),
            details={"chosen": self.reason, **outcome.details, **self._counts},
        )

    def _search(self) -> None:
        if self.is_over():
            return
        seconds = self.seconds_for_dual_greedy
        if seconds > 0.0:
            self._say("dual-greedy", f"dual-greedy: no time left on {self._size()}")
            task = self.dual_greedy_task(self._num_threads)
            self.take_regions("dual_greedy", self.carry_out("dual_greedy", task, seconds))
        if self.is_over():
            return
        self._say("klj", f"klj: no time left on {self._size()}")
        self.advance("klj", self.klj_task())
        if self.is_over():
            return
        if self._leaves_time_for_proof():
            self._fuse("fusion", _PATIENCE, self._share(_SHARE_OF_SEARCH))
            if self._leaves_time_for_proof():
                self._bound_and_prove()
        if not self._is_proven() and not self.is_over():
            self._go_on()

    def _go_on(self) -> None:
        """Search until the time is up; without a time limit, with more patience than before."""
        if not self._is_limited:
            self._fuse("more_fusion", _LONG_PATIENCE)
            if self._is_proven():
                self._say("fusion", self._proven_by("fusion, which reached a lower bound"))
            return
        before = self._objective
        options = memetic.MemeticOptions(
            initial=self.labels,
            max_rounds=_ENDLESS,
            patience=_ENDLESS,
            num_threads=self._num_threads,
        )
        task = memetic.search_task(
            self.core, options, self._seed, reduces=False, checks_initial=False
        )
        self.advance("memetic", task)
        if self._is_proven():
            self._say("memetic", self._proven_by("memetic, which reached a lower bound"))
        elif self._objective < before:
            self._say("memetic", self.reason.replace(f"{self.solver}:", "memetic:", 1))

    def _reduction_pays(self) -> bool:
        size = self.problem.num_edges
        return size <= fusion.MANY_EDGES and (
            _REDUCTION_SECONDS * size <= _SHARE_OF_REDUCTION * self.watch.seconds_left
        )

    def _leaves_time_for_proof(self) -> bool:
        size = self.core.num_edges
        if size > _MANY_EDGES:
            self._say("fusion", f"fusion: {self._size()} are too many for a proof")
            return False
        self._say("fusion", f"fusion: no time left for a proof on {self._size()}")
        return _PROOF_SECONDS * size <= self.watch.seconds_left and not self.is_over()

    def _fuse(self, name: str, patience: int, seconds: float = math.inf) -> None:
        most = _ENDLESS
        if not self._is_limited:
            most = min(_MOST_PROPOSALS, _EDGES_OF_PROPOSALS // max(self.core.num_edges, 1) + 1)
        task = self.fusion_task(
            # Later proposals should be others than the first ones.
            self._seed if name == "fusion" else (self._seed + 1) % 2**64,
            max_proposals=most,
            patience=patience,
            num_threads=self._num_threads,
        )
        self.advance(name, task, seconds)

    def _bound_and_prove(self) -> None:
        # A search does not mind if rounding has changed the core a little; a proof does.
        if self.is_reduced and self.reduction.hides(self.problem, self.watch.best):
            self.lift()
        self.bound(self._share(_SHARE_OF_BOUND))
        if self._is_proven():
            self._say("fusion", self._proven_by("fusion and a lower bound"))
        elif self._proof_is_likely() and not self.is_over():
            self.prove(self._share(_SHARE_OF_PROOF))
        else:
            gap = f"a gap of {self._gap():.2%} on {self._size()}"
            self._say("fusion", f"fusion: not proven optimal, as {gap} is hard to close")

    def bound(self, seconds: float) -> None:
        """Bound the core from below, in so many seconds; without a time limit, by so many steps."""
        from multicut.bound import bound_from_below

        start = time.perf_counter()
        found, stopped_by = bound_from_below(
            self.core,
            Stop(seconds),
            lambda *_: self.is_over(),
            self._num_threads,
            max_steps=math.inf if self._is_limited else _STEPS_OF_BOUND,
        )
        self.seconds["bound"] = time.perf_counter() - start
        self.watch.hear_of(stopped_by)
        self._raise_bound(found)

    def _proof_is_likely(self) -> bool:
        num_nodes, num_edges = self.core.num_nodes, self.core.num_edges
        if num_edges >= _DENSE * num_nodes * (num_nodes - 1) / 2:
            return num_edges <= _FEW_DENSE_EDGES
        # Blocks are proven one by one.
        num_edges = int(np.bincount(_core.blocks(self.core.graph)).max(initial=0))
        return num_edges <= _FEW_EDGES or self._gap() * num_edges <= _SMALL_WEIGHT

    def prove(self, seconds: float) -> None:
        """Prove the partition of the core optimal, or improve it, in so many seconds.

        Without a time limit, the amount of work is limited.
        """
        from multicut.exact.decomposition import BlockwiseSearch
        from multicut.exact.work import Work

        assert self.labels is not None

        def hear(progress: Progress) -> bool:
            # Of the problem: what rounding of the reduction may have taken is taken off already.
            if progress.lower_bound is not None:
                heard = bound_of_total(progress.lower_bound, -self.reduction.offset, 0.0)
                # When it comes depends on the clock, so it is for the callback alone.
                self._heard_bound = max(self._heard_bound, min(heard, self._objective))
            self._counts = progress.details
            self.watch.improved(progress.objective)
            return self.is_over()

        start = time.perf_counter()
        inner = Watch(Stop(seconds, hear))
        reduction = self.reduction
        search = BlockwiseSearch(
            self.core,
            self.labels,
            inner,
            reduction.offset,
            reduction.error,
            self._bound,
            self._num_threads,
            Work(math.inf if self._is_limited else _ITERATIONS_OF_PROOF),
        )
        try:
            search.run(integer=True)
        except KeyboardInterrupt:
            inner.stop(StopReason.INTERRUPT)
        self.seconds["ilp"] = time.perf_counter() - start
        self.watch.hear_of(inner.stopped_by)
        self._counts = search.details
        found = objective(self.core, search.labels)
        self._take("ilp", search.labels, found)
        is_proven = search.is_proof_of(found + self.reduction.offset)
        self._raise_bound(found if is_proven else bound_below(found, search.gap))
        if self._is_proven():
            self._say("ilp", self._proven_by("ilp"))
        else:
            programs = count(search.details["linear_programs"], "linear program")
            effort = f"{seconds:.3g} s of ilp" if self._is_limited else f"{programs} of ilp"
            self._say("fusion", f"fusion: not proven optimal by {effort} on {self._size()}")

    @cached_property
    def _step(self) -> float:
        return step_of(self.problem.costs)

    def _describe(self) -> tuple[float | None, Mapping[str, Any]]:
        bound = self._bound_of(self.watch.best, self._heard_bound)
        if bound is not None and self.is_reduced:
            # The best objective so far is a rounded sum, too.
            bound = bound_below(bound, rounding_of_total(bound))
        return bound, self._counts

    def _bound_of(self, value: float, heard: float = -math.inf) -> float | None:
        """Return the bound of the problem, at most `value`; None if there is none.

        It is that of the core, or one of the core that was `heard`, if that is better.
        """
        bound = max(self._bound, heard)
        if not math.isfinite(bound):
            return None
        # Sums that differ by their rounding alone are equal.
        if bound >= self._objective:
            return value
        total = bound_of_total(bound, self.reduction.offset, self.reduction.error)
        return certify(self.problem, value, total)

    def _raise_bound(self, bound: float) -> None:
        if self.reduction.error == 0.0 and math.isfinite(bound):
            bound = next_objective(bound, self._step)
        self._bound = max(self._bound, min(bound, self._objective))
        self.watch.report()

    def _is_proven(self) -> bool:
        return self.is_enough(self._objective)

    def is_enough(self, value: float) -> bool:
        """Whether no partition of the core can cost less than `value`, as far as proofs go."""
        if not math.isfinite(self._bound):
            return False
        if self._bound >= value:
            return True
        total = value + self.reduction.offset
        return self._bound_of(total) == total

    def _gap(self) -> float:
        """Return the gap relative to the objective, or where that is almost zero, to the costs."""
        costs = self.core.costs
        size = _ALMOST_ZERO * float(np.abs(costs[np.isfinite(costs)]).sum())
        size = max(abs(self._objective), size)
        return (self._objective - self._bound) / size if size else math.inf

    def _share(self, share: float) -> float:
        """Return a share of the time that is left, all if there is no limit."""
        return share * self.watch.seconds_left

    def _size(self) -> str:
        size = count(self.core.num_edges, "edge")
        is_reduced = self.core.num_edges < self.problem.num_edges
        return f"{size} after reduction" if is_reduced else size

    def _proven_by(self, means: str) -> str:
        return f"proven optimal by {means}; {self._size()}"

    def _say(self, solver: str, reason: str) -> None:
        self.solver = solver
        self.reason = reason
