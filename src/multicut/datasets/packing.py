"""Problems, and what is known of their solutions, into flat arrays."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from multicut._arrays import BoolArray, FloatArray
from multicut.datasets.arrays import DatasetArrays, pack_lifted
from multicut.datasets.labelled import LabelledProblem
from multicut.problem import Problem
from multicut.result import Result


def pack_problems(problems: Sequence[Problem]) -> DatasetArrays:
    """Put problems behind each other, with what labelled ones know."""
    edges = [problem.edges.astype(np.int32) for problem in problems]
    cut, objective, lower_bound = collect_solutions(problems)
    positions = [
        problem.positions
        for problem in problems
        if isinstance(problem, LabelledProblem) and problem.positions is not None
    ]
    has_positions = len(problems) > 0 and len(positions) == len(problems)
    return DatasetArrays(
        np.cumsum([0, *(problem.num_nodes for problem in problems)], dtype=np.int64),
        np.cumsum([0, *(problem.num_edges for problem in problems)], dtype=np.int64),
        np.concatenate([np.empty((0, 2), np.int32), *edges]),
        np.concatenate([np.empty(0), *(problem.costs for problem in problems)]),
        cut,
        objective,
        lower_bound,
        np.concatenate(positions).astype(np.float32) if has_positions else None,
        **pack_lifted([(p.lifted_edges, p.lifted_costs) for p in problems]),
    )


def collect_solutions(
    sources: Sequence[Problem | Result],
) -> tuple[BoolArray | None, FloatArray, FloatArray]:
    """Collect cuts, objectives and lower bounds of results or of labelled problems.

    Flags of cut edges are kept only if they are known of every graph whose objective is known.
    """
    objective = np.full(len(sources), np.nan)
    lower_bound = np.full(len(sources), -np.inf)
    cuts: list[BoolArray] = []
    num_cuts = 0
    for i, source in enumerate(sources):
        if not isinstance(source, LabelledProblem | Result):
            cuts.append(np.zeros(source.num_edges, dtype=bool))
            continue
        if source.cut is None:
            cuts.append(np.zeros(source.num_edges, dtype=bool))
        else:
            cuts.append(source.cut)
            num_cuts += 1
        if source.objective is not None:
            objective[i] = source.objective
        if source.lower_bound is not None:
            lower_bound[i] = source.lower_bound
    is_complete = num_cuts > 0 and num_cuts == np.count_nonzero(~np.isnan(objective))
    return (np.concatenate(cuts) if is_complete else None), objective, lower_bound
