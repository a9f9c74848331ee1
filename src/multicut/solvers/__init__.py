"""All solvers, by name. One file each; this registry is what everything else reads."""

from multicut.solvers.protocol import SolverRecord
from multicut.solvers.registry import check_lifted, check_takes_lifted, get_solver, list_solvers

__all__ = ["SolverRecord", "check_lifted", "check_takes_lifted", "get_solver", "list_solvers"]
