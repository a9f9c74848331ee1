"""The registry of solvers."""

from __future__ import annotations

import difflib
from fnmatch import fnmatch

from multicut.solvers import auto, fusion, gaec, greedy_fixation, klj
from multicut.solvers.protocol import SolverRecord

_RECORDS = {
    record.name: record
    for record in (auto.RECORD, gaec.RECORD, greedy_fixation.RECORD, klj.RECORD, fusion.RECORD)
}


def list_solvers(pattern: str = "*") -> list[SolverRecord]:
    """Return the records of all solvers whose name matches a pattern such as ``"greedy*"``."""
    return [record for record in _RECORDS.values() if fnmatch(record.name, pattern)]


def get_solver(name: str) -> SolverRecord:
    """Return the record of one solver."""
    if not isinstance(name, str) or name not in _RECORDS:
        close = difflib.get_close_matches(str(name), _RECORDS, n=1)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise ValueError(f"unknown solver {name!r}; {hint}known are: {', '.join(_RECORDS)}")
    return _RECORDS[name]
