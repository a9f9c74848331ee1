"""Graphs by name: stored datasets and endless streams of new ones."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from multicut.datasets import Dataset, generate, get_generator, open_dataset
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.shipped import SHIPPED
from multicut.problem import Problem

FRESH = ":fresh"


def is_fresh(name: str) -> bool:
    """Whether a name means an endless stream."""
    return name.endswith(FRESH)


def named_graphs(name: str, split: str) -> Dataset:
    """Open a dataset: a path, or one by name such as ``"randommp"`` or ``"randommp:test"``.

    A folder with a dataset in a subfolder of the name of the split stands for that one.

    Parameters
    ----------
    name
        The path or the name.
    split
        The split to take if the name names none.
    """
    base, colon, chosen = name.partition(":")
    if base in SHIPPED and not Path(name).exists():
        return open_dataset(base, chosen if colon else split)
    part = Path(name) / split
    return open_dataset(part if part.is_dir() else name)


def given_graphs(graphs: object, name: str) -> Dataset:
    """Take graphs that the caller made; `name` is the argument they came in."""
    if isinstance(graphs, Dataset):
        return graphs
    if isinstance(graphs, Problem):
        return Dataset.from_problems([graphs], name=name)
    if isinstance(graphs, Sequence) and all(isinstance(graph, Problem) for graph in graphs):
        return Dataset.from_problems(graphs, name=name)
    raise TypeError(
        f"{name} must be the name of a dataset, a Dataset or a list of problems, got "
        f"{type(graphs).__name__}"
    )


def fingerprint(graphs: Dataset) -> str:
    """Return a few letters that differ for different graphs or solutions."""
    arrays = graphs.arrays()
    digest = hashlib.sha256()
    for part in (arrays.node_offsets, arrays.edge_offsets, arrays.edges, arrays.costs, arrays.cut):
        digest.update(b"" if part is None else np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:12]


def fresh_graphs(name: str, seed: int) -> Callable[[int, int], Dataset]:
    """Return what draws graphs of a stream: ``draw(first, count)``."""
    record = get_generator(name.removesuffix(FRESH))
    if record.is_lifted:
        raise ValueError(f"networks take no lifted edges, which graphs of {record.name!r} have")
    family = record.name
    # Not the seed itself: with it the stream would begin with the graphs of a stored dataset.
    own_seed = int(np.random.SeedSequence([seed, 1]).generate_state(1, np.uint64)[0])

    def draw(first: int, count: int) -> Dataset:
        return generate(family, count, seed=own_seed, start=first)

    return draw


def labelled_by(solver: str) -> Callable[[Dataset], Dataset]:
    """Return what adds a solver's solutions to graphs, in the thread that calls it."""
    from multicut.solve import solve_batch
    from multicut.solvers import get_solver

    get_solver(solver)  # complains now, not in another thread

    def label(graphs: Dataset) -> Dataset:
        return graphs.with_results(solve_batch(graphs, solver, num_workers=1))

    return label


def mean_absolute_cost(arrays: DatasetArrays) -> float:
    """Return the mean of |cost| over all edges; 1 if there is none."""
    mean = float(np.abs(arrays.costs).mean()) if len(arrays.costs) else 0.0
    return mean if mean > 0 else 1.0


def with_cost_scale(arrays: DatasetArrays, scale: float) -> DatasetArrays:
    """Bring the mean absolute cost of each graph to `scale`; zeros stay zeros."""
    means = arrays.per_graph(np.abs(arrays.costs)) / np.maximum(arrays.num_edges, 1)
    factors = scale / np.where(means > 0, means, scale)
    return replace(
        arrays,
        costs=arrays.costs * factors[arrays.graph_of_edges()],
        objective=arrays.objective * factors,
        lower_bound=arrays.lower_bound * factors,
    )
