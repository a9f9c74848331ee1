"""The benchmark itself: every contest on every set of arrays that it takes."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.benchmark.contests import Contender, peer_is_installed
from multicut.benchmark.lifted.contests import CONTESTS, LiftedContest
from multicut.benchmark.measure import Measurement, measure
from multicut.partition import canonical
from multicut.solvers import get_solver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from multicut._arrays import FloatArray, IntArray
    from multicut.benchmark.lifted.instances import LiftedSet

_MAX_REPEATS = 7


@dataclass(frozen=True)
class LiftedRow:
    """One contest on one set of arrays; `peer` is None where the peer did not run."""

    instances: str
    num_nodes: int
    num_edges: int
    num_lifted: int
    solver: str
    peer_solver: str
    ours: Measurement
    peer: Measurement | None
    is_same: bool | None  # whether both found the same partition
    # Until our objective was as good as the peer's, the problem made included, for a solver that
    # improves a partition step by step.
    seconds_to_peer: float | None = None

    @property
    def speedup(self) -> float | None:
        """The peer's total time divided by ours."""
        return None if self.peer is None else self.peer.total_seconds / self.ours.total_seconds

    @property
    def ratio(self) -> float | None:
        """Our objective divided by the peer's: above 1 is better, as objectives are negative."""
        if self.peer is None or self.peer.objective >= 0:
            return None
        return self.ours.objective / self.peer.objective


def plan_lifted_runs(
    sets: Sequence[LiftedSet], contests: Sequence[str] | None = None
) -> list[tuple[LiftedSet, list[LiftedContest]]]:
    """Pair each set with the contests that take its arrays."""
    wanted = [
        contest
        for name, contest in CONTESTS.items()
        if (contests is None or name in contests)
        and (contest.solver is None or get_solver(contest.solver).takes_lifted)
    ]
    plan = [
        (s, [c for c in wanted if c.kind == s.kind and s.num_edges <= c.max_edges]) for s in sets
    ]
    return [(lifted_set, able) for lifted_set, able in plan if able]


def run_lifted_benchmark(
    plan: Sequence[tuple[LiftedSet, list[LiftedContest]]],
    *,
    with_peer: bool = True,
    budget: float = 6.0,
    report: Callable[[str], Any] = lambda _: None,
) -> Iterator[LiftedRow]:
    """Yield the rows of the table as they are measured, in seconds of one processor.

    Parameters
    ----------
    plan
        What :func:`plan_lifted_runs` returned.
    with_peer
        Whether the peer runs as well; it has to be installed.
    budget
        Seconds for the repetitions of one contest on one set; each runs at least once.
    report
        Called before each contest with what is about to happen.
    """
    with_peer = with_peer and peer_is_installed()
    for lifted_set, contests in plan:
        report(f"making {lifted_set.name}")
        arrays = lifted_set.load()
        for contest in contests:
            report(f"{contest.name} on {lifted_set.name}")
            against = with_peer and lifted_set.num_edges <= contest.peer_max_edges
            found: dict[str, IntArray] = {}
            contenders = [_keeping(contest.ours(), found, "ours")]
            if against:
                contenders.append(_keeping(contest.peer(), found, "peer"))
            ours, *peer = measure(contenders, arrays, budget, _MAX_REPEATS, time.process_time)
            seconds_to_peer = None
            if contest.trace is not None and peer:
                trace = contest.trace(arrays.problem)
                seconds_to_peer = _seconds_until(trace, peer[0].objective, ours)
            yield LiftedRow(
                instances=lifted_set.name,
                num_nodes=arrays.num_nodes,
                num_edges=arrays.num_edges,
                num_lifted=arrays.num_lifted,
                solver=contest.name,
                peer_solver=contest.peer_name,
                ours=ours,
                peer=peer[0] if peer else None,
                is_same=_are_same(found["ours"], found["peer"]) if peer else None,
                seconds_to_peer=seconds_to_peer,
            )


def _seconds_until(trace: FloatArray, objective: float, ours: Measurement) -> float | None:
    """Return when a run of ours reached an objective; its end is when `ours` has ended."""
    good = np.flatnonzero(trace[:, 1] <= objective + 1e-9 * abs(objective))
    if len(good) == 0:
        return None
    return min(ours.build_seconds + float(trace[good[0], 0]), ours.total_seconds)


def _keeping(contender: Contender, found: dict[str, IntArray], side: str) -> Contender:
    """Let a contender put its labels aside."""

    def solve(built: Any) -> IntArray:
        labels = found[side] = contender.solve(built)
        return labels

    return replace(contender, solve=solve)


def _are_same(labels: IntArray, others: IntArray) -> bool:
    return np.array_equal(canonical(labels), canonical(others))
