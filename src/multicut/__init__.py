"""Minimum cost multicuts, also called weighted correlation clustering.

Given a graph with a real cost on each edge (positive attracts, negative repels), find the
partition of its nodes that minimises the cost of the edges between different parts::

    import multicut as mc

    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    result = mc.solve(problem)
    result.labels  # array([0, 1, 1])
"""

from multicut import datasets, io
from multicut._version import __version__
from multicut.bound import lower_bound
from multicut.datasets import Dataset
from multicut.exact.reduction import Reduction, reduce
from multicut.io import read, read_all, write
from multicut.partition import is_feasible, objective
from multicut.problem import Problem
from multicut.result import Result
from multicut.solve import solve, solve_batch
from multicut.solvers import list_solvers
from multicut.stop import Progress

__all__ = [
    "Dataset",
    "Problem",
    "Progress",
    "Reduction",
    "Result",
    "__version__",
    "datasets",
    "io",
    "is_feasible",
    "list_solvers",
    "lower_bound",
    "objective",
    "read",
    "read_all",
    "reduce",
    "solve",
    "solve_batch",
    "write",
]
