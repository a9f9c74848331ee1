"""Minimum cost multicuts, also called weighted correlation clustering.

Given a graph with a real cost on each edge (positive attracts, negative repels), find the
partition of its nodes that minimises the cost of the edges between different parts::

    import multicut as mc

    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    result = mc.solve(problem)
    result.labels  # array([0, 1, 1])
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from multicut import io
from multicut._provided import provide
from multicut._version import __version__
from multicut.bound import lower_bound
from multicut.exact.reduction import Reduction, reduce
from multicut.io import read, read_all, write
from multicut.models import list_models, load_model, save_model
from multicut.partition import is_feasible, objective
from multicut.problem import Problem
from multicut.result import Result
from multicut.solve import solve, solve_batch
from multicut.solvers import list_solvers
from multicut.stop import Progress

if TYPE_CHECKING:
    from pathlib import Path

    from multicut import datasets, nn, plotting, proofreading, training, vision
    from multicut._arrays import FloatArray
    from multicut.clustering import MulticutClustering
    from multicut.datasets import Dataset
    from multicut.distributed.table.solve import solve_distributed
    from multicut.proofreading import Proofreader, edge_margins
    from multicut.vision.region_problem import RegionProblem

# Imported when they are first used: they take as long as all others, or need torch, matplotlib and
# scikit-image.
_LAZY = ("datasets", "nn", "plotting", "proofreading", "training", "vision")

__all__ = [
    "Dataset",
    "MulticutClustering",
    "Problem",
    "Progress",
    "Proofreader",
    "Reduction",
    "Result",
    "__version__",
    "datasets",
    "edge_margins",
    "io",
    "is_feasible",
    "list_models",
    "list_solvers",
    "load_model",
    "lower_bound",
    "nn",
    "objective",
    "plotting",
    "proofreading",
    "read",
    "read_all",
    "reduce",
    "save_model",
    "solve",
    "solve_batch",
    "solve_distributed",
    "training",
    "vision",
    "write",
]


def _region_problem(*arguments: Any, **options: Any) -> RegionProblem:
    from multicut.vision import region_problem

    return region_problem(*arguments, **options)


def _open_folder(path: Path) -> io.ProblemCollection:
    from multicut.datasets.folder import open_folder

    return open_folder(path)


def _confidence(problem: Problem, result: Result) -> FloatArray:
    from multicut.proofreading import edge_margins

    return edge_margins(problem, result).confidence


def _segment_blockwise() -> Any:
    from multicut.distributed.volume import segment_blockwise

    return segment_blockwise


provide("confidence", _confidence)
provide("segment_blockwise", _segment_blockwise)
provide("region_problem", _region_problem)
provide("open_folder", _open_folder)


def __getattr__(name: str) -> Any:
    """Import heavy parts of the package when they are first used."""
    if name in _LAZY:
        from importlib import import_module

        return import_module(f"multicut.{name}")
    if name == "MulticutClustering":  # needs scikit-learn
        from multicut.clustering import MulticutClustering

        return MulticutClustering
    if name in ("Proofreader", "edge_margins"):
        from multicut import proofreading

        return getattr(proofreading, name)
    if name == "solve_distributed":
        from multicut.distributed.table.solve import solve_distributed

        return solve_distributed
    if name == "Dataset":
        from multicut.datasets import Dataset

        return Dataset
    raise AttributeError(f"module 'multicut' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
