"""Graphs that are on a device already, and stay there."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeGuard

from multicut._checks import check_seed
from multicut.solvers import get_solver, list_solvers

if TYPE_CHECKING:
    from multicut.nn.batch import GraphBatch
    from multicut.nn.device_result import DeviceResult
    from multicut.stop import Stop


def is_on_device(value: object) -> TypeGuard[GraphBatch]:
    """Whether a value is a batch of graphs on a device; torch is imported for it by then."""
    module = sys.modules.get("multicut.nn.batch")
    return module is not None and isinstance(value, module.GraphBatch)


def solve_on_device(
    batch: GraphBatch, solver: str, stop: Stop, seed: SupportsIndex, options: dict[str, Any]
) -> DeviceResult:
    """Let a solver work where the graphs are."""
    record = get_solver(solver)
    if record.run_on_device is None:
        able = ", ".join(one.name for one in list_solvers() if one.run_on_device is not None)
        raise TypeError(f"solver {solver!r} takes a Problem, got a GraphBatch; use {able}")
    for name in ("bound", "callback", "initial", "num_workers"):
        if options.pop(name, None) is not None:
            raise TypeError(f"{name} does not apply to a GraphBatch; leave it out")
    return record.run_on_device(batch, record.parse_options(options), stop, check_seed(seed))
