"""Partitions that replace what a solver found where they cost less."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from multicut.partition import cut_of_labels, labels_of_cut, objective
from multicut.proof import certify
from multicut.solvers.protocol import Outcome

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.problem import Problem


def no_worse_than_trivial(problem: Problem, outcome: Outcome, start: float) -> Outcome:
    """Return the outcome, or a partition that needs no search, if that costs less."""
    if outcome.is_sound:
        return outcome
    return _better(problem, outcome, Outcome.without_search(problem), start)


def no_worse_than_initial(
    problem: Problem, outcome: Outcome, initial: IntArray, start: float
) -> Outcome:
    """Return the outcome, or the partition that the solver was given, if that costs less."""
    if objective(problem, initial) >= outcome.objective:
        return outcome
    labels = labels_of_cut(problem, cut_of_labels(problem, initial))
    given = Outcome.of_labels(problem, labels, trace=np.zeros((0, 2)))
    return _better(problem, outcome, given, start)


def _better(problem: Problem, outcome: Outcome, other: Outcome, start: float) -> Outcome:
    """Return the outcome, with the partition of another one if that costs less."""
    if other.objective >= outcome.objective:
        return outcome
    last = [[time.perf_counter() - start, other.objective]]
    bound = outcome.lower_bound
    return replace(
        outcome,
        labels=other.labels,
        cut=other.cut,
        lifted_cut=other.lifted_cut,
        objective=other.objective,
        lower_bound=None if bound is None else certify(problem, other.objective, bound),
        num_clusters=other.num_clusters,
        trace=np.concatenate([outcome.trace, last]),
    )
