"""The registry of solvers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut._registry import Registry
from multicut.solvers import (
    auto,
    fusion,
    gaec,
    gasp,
    greedy_fixation,
    ilp,
    klj,
    lp,
    memetic,
    mutex_watershed,
)
from multicut.solvers.dual_greedy import solver as dual_greedy
from multicut.solvers.gnn import solver as gnn
from multicut.solvers.learned import solver as learned
from multicut.solvers.protocol import SolverRecord

if TYPE_CHECKING:
    from multicut.problem import Problem

_SOLVERS: Registry[SolverRecord] = Registry(
    "solver",
    (
        auto.RECORD,
        gaec.RECORD,
        dual_greedy.RECORD,
        greedy_fixation.RECORD,
        gasp.RECORD,
        mutex_watershed.RECORD,
        klj.RECORD,
        fusion.RECORD,
        memetic.RECORD,
        lp.RECORD,
        ilp.RECORD,
        gnn.RECORD,
        learned.RECORD,
    ),
)


def list_solvers(pattern: str = "*") -> list[SolverRecord]:
    """Return the records of all solvers whose name matches a pattern such as ``"greedy*"``."""
    return _SOLVERS.matching(pattern)


def get_solver(name: str) -> SolverRecord:
    """Return the record of one solver."""
    return _SOLVERS.get(name)


def check_lifted(problem: Problem, record: SolverRecord) -> None:
    """Raise ValueError if a problem has lifted edges and the solver takes none."""
    check_takes_lifted(record, is_lifted=problem.is_lifted)


def check_takes_lifted(record: SolverRecord, *, is_lifted: bool) -> None:
    """Raise ValueError if problems have lifted edges and the solver takes none."""
    if not is_lifted or record.takes_lifted:
        return
    able = [other.name for other in _SOLVERS.matching("*") if other.takes_lifted]
    advice = f"use {' or '.join(able)}" if able else "no solver does"
    raise ValueError(f"solver {record.name!r} does not take lifted edges; {advice}")
