"""A dataset: many problems with labels, in few arrays."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut._checks import check_seed
from multicut._extras import needed
from multicut._words import count
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.labelled import LabelledProblem, as_known
from multicut.datasets.packing import collect_solutions, pack_problems
from multicut.datasets.splitting import split_sizes
from multicut.problem import Problem
from multicut.result import Result
from multicut.solve import solve_batch

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Dataset(Sequence[LabelledProblem]):
    """Problems with labels, like a list that may be larger than memory.

    ``dataset[i]`` is a problem, ``dataset[2:8]``, ``dataset[[5, 3]]`` and ``dataset[mask]`` are
    datasets; a slice with step one shares memory. :meth:`arrays` has everything at once.

    Nodes are numbered from 0 in each graph; ids that problems may have had are not kept.

    Parameters
    ----------
    arrays
        The graphs and what is known of their solutions.
    name
        What the dataset is called.
    names
        A name for each graph; by default they are called ``"<name>-<number>"``.
    numbers
        The number of each graph, for names; by default 0, 1, ….
    info
        Where the dataset comes from, as plain values that JSON can hold.
    """

    def __init__(
        self,
        arrays: DatasetArrays,
        *,
        name: str = "dataset",
        names: Sequence[str] | None = None,
        numbers: IntArray | None = None,
        info: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(arrays, DatasetArrays):
            raise TypeError(
                f"arrays must be DatasetArrays, got {type(arrays).__name__}; of problems, make a "
                f"dataset with Dataset.from_problems(problems)"
            )
        number = arrays.num_graphs
        if names is not None and len(names) != number:
            raise ValueError(f"names must contain one name per graph, {number}, got {len(names)}")
        self._arrays = arrays
        self._names = None if names is None else [str(n) for n in names]
        self._numbers = np.arange(number) if numbers is None else numbers
        self.name = name
        self.info: dict[str, Any] = dict(info or {})

    @staticmethod
    def from_problems(
        problems: Iterable[Problem] | Mapping[str, Problem],
        results: Iterable[Result] | None = None,
        *,
        name: str = "dataset",
    ) -> Dataset:
        """Put problems into a dataset.

        Parameters
        ----------
        problems
            The problems, by name or without names. What a :class:`LabelledProblem` knows is kept.
        results
            A result for each problem, such as :func:`multicut.solve_batch` gives; they take the
            place of what the problems know.
        name
            What the dataset is called.
        """
        names: list[str] | None = None
        if isinstance(problems, Problem):
            raise TypeError("problems must be several problems, got one; put it into a list")
        if isinstance(problems, Mapping):
            names, members = [str(key) for key in problems], list(problems.values())
        else:
            members = list(problems)
            known = [p.name for p in members if isinstance(p, LabelledProblem)]
            names = known if known and len(known) == len(members) else None
        for i, member in enumerate(members):
            if not isinstance(member, Problem):
                raise TypeError(f"problems must contain problems, got {member!r} at {i}")
        dataset = Dataset(pack_problems(members), name=name, names=names)
        return dataset if results is None else dataset.with_results(results)

    @staticmethod
    def load(path: str | os.PathLike[str], *, verify: bool = False) -> Dataset:
        """Open a dataset that :meth:`save` wrote; its arrays stay on disk until they are used.

        Parameters
        ----------
        path
            The folder.
        verify
            Whether to read everything once and compare it with the checksums in the header.
        """
        from multicut.datasets.container import load_dataset

        return load_dataset(path, verify=verify)  # nosec B615

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the dataset to a folder, which appears only once it is complete.

        The format is specified in ``docs/datasets.md``. Equal datasets give equal bytes.

        Parameters
        ----------
        path
            The folder; it must not exist.
        overwrite
            Whether to replace a dataset that is there already.
        """
        from multicut.datasets.container import save_dataset

        save_dataset(self, path, overwrite=overwrite)

    def arrays(self) -> DatasetArrays:
        """Return everything as flat arrays, without copying."""
        return self._arrays

    @property
    def names(self) -> list[str]:
        """The name of each graph."""
        return [self._name_of(i) for i in range(len(self))]

    @property
    def has_own_names(self) -> bool:
        """Whether graphs have names other than numbers."""
        return self._names is not None

    @property
    def numbers(self) -> IntArray:
        """The number of each graph where it comes from; slices keep them."""
        return self._numbers

    @property
    def num_nodes(self) -> IntArray:
        """The number of nodes of each graph."""
        return self._arrays.num_nodes

    @property
    def num_edges(self) -> IntArray:
        """The number of edges of each graph."""
        return self._arrays.num_edges

    @property
    def num_lifted_edges(self) -> IntArray:
        """The number of lifted edges of each graph."""
        return self._arrays.num_lifted_edges

    @property
    def is_lifted(self) -> bool:
        """Whether some graph has lifted edges."""
        return self._arrays.is_lifted

    @property
    def objective(self) -> FloatArray:
        """The cost of the best known solution of each graph, nan where there is none."""
        return self._arrays.objective

    @property
    def lower_bound(self) -> FloatArray:
        """The lower bound of each graph, -inf where nothing is known."""
        return self._arrays.lower_bound

    @property
    def labelled(self) -> NDArray[np.bool_]:
        """Whether a solution, or at least its cost, is known of each graph."""
        return ~np.isnan(self._arrays.objective)

    @property
    def optimal(self) -> NDArray[np.bool_]:
        """Whether the solution of each graph is proven to be optimal."""
        return self._arrays.lower_bound >= self._arrays.objective

    @property
    def gap(self) -> FloatArray:
        """How far each solution can be from optimal, relative to it; nan where none is known."""
        distance = np.maximum(self.objective - self.lower_bound, 0.0)
        scale = np.where(self.objective == 0, 1.0, np.abs(self.objective))
        return np.where(distance > 0, distance / scale, distance)

    def __len__(self) -> int:
        return self._arrays.num_graphs

    @overload
    def __getitem__(self, index: int) -> LabelledProblem: ...

    @overload
    def __getitem__(self, index: slice | Sequence[int] | NDArray[Any]) -> Dataset: ...

    def __getitem__(
        self, index: int | slice | Sequence[int] | NDArray[Any]
    ) -> LabelledProblem | Dataset:
        """Return one problem, or a dataset of several."""
        if isinstance(index, slice):
            return self._take(np.arange(len(self))[index])
        chosen = np.asarray(index)
        if chosen.ndim == 0 and chosen.dtype.kind in "iu":
            return self._problem(int(chosen))
        if chosen.ndim != 1 or (chosen.dtype.kind not in "iub" and chosen.size > 0):
            raise TypeError(
                f"a dataset takes an integer, a slice, integers or a mask, got {index!r}"
            )
        if chosen.dtype == np.bool_:
            if len(chosen) != len(self):
                raise IndexError(
                    f"the mask has {count(len(chosen), 'entry')} for {count(len(self), 'graph')}"
                )
            return self._take(np.flatnonzero(chosen))
        chosen = chosen.astype(np.int64)
        if len(chosen) and not -len(self) <= chosen.min() <= chosen.max() < len(self):
            raise IndexError(f"the dataset has {count(len(self), 'graph')}, got index {index!r}")
        return self._take(chosen % max(len(self), 1))

    def __iter__(self) -> Iterator[LabelledProblem]:
        return (self._problem(i) for i in range(len(self)))

    def __repr__(self) -> str:
        known = int(self.labelled.sum())
        return (
            f"{type(self).__name__}({self.name}: {count(len(self), 'graph')}, {known:,} labelled, "
            f"{int(self.optimal.sum()):,} proven optimal)"
        )

    def split(
        self, parts: Mapping[str, float], seed: SupportsIndex | None = None
    ) -> dict[str, Dataset]:
        """Divide the dataset into parts.

        Parameters
        ----------
        parts
            For each part its size, or its share: numbers that add up to the number of graphs are
            sizes, any others are in proportion to them.
        seed
            Shuffles the graphs first; by default they keep their order.
        """
        sizes = split_sizes(parts, len(self))
        order = np.arange(len(self))
        if seed is not None:
            # Ranks of uniform numbers: independent of how numpy shuffles.
            stream = np.random.Generator(np.random.PCG64(check_seed(seed)))
            order = np.argsort(stream.random(len(self)))
        ends = np.cumsum(list(sizes.values()))
        return {
            part: self._take(np.sort(order[end - size : end]), f"{self.name}-{part}")
            for (part, size), end in zip(sizes.items(), ends, strict=True)
        }

    def with_results(self, results: Iterable[Result]) -> Dataset:
        """Return the dataset with a result for each graph in place of what was known."""
        found = list(results)
        if len(found) != len(self):
            raise ValueError(f"got {count(len(found), 'result')} for {count(len(self), 'graph')}")
        for i, (result, num_edges) in enumerate(zip(found, self.num_edges, strict=True)):
            if len(result.cut) != num_edges:
                raise ValueError(
                    f"result {i} has {count(len(result.cut), 'edge')}, graph {i} has {num_edges}; "
                    f"results must be in the order of the graphs"
                )
        cut, objective, lower_bound = collect_solutions(found)
        arrays = replace(self._arrays, cut=cut, objective=objective, lower_bound=lower_bound)
        # How the former labels were made no longer holds.
        info = {key: value for key, value in self.info.items() if key != "labels"}
        return Dataset(arrays, name=self.name, names=self._names, numbers=self._numbers, info=info)

    def label(
        self, solver: str = "ilp", time_limit: float | None = None, num_workers: int | None = None
    ) -> Dataset:
        """Solve all graphs, in this process, and return the dataset with the solutions.

        Parameters
        ----------
        solver
            A name from :func:`multicut.list_solvers`; ``ilp`` proves optimality.
        time_limit
            Seconds for each graph; then its best solution is kept, with its bound.
        num_workers
            Graphs that are solved side by side; by default as many as there are processors that
            this process may use.
        """
        results = solve_batch(self, solver, time_limit, num_workers=num_workers)
        if any(result.stopped_by == "interrupt" for result in results):
            raise KeyboardInterrupt
        labelled = self.with_results(results)
        seconds = None if time_limit is None or math.isinf(time_limit) else float(time_limit)
        labelled.info["labels"] = {"solver": solver, "seed": 0, "time_limit": seconds}
        return labelled

    def to_pyg(self, *, both_directions: bool = True) -> list[Any]:
        """Return PyTorch Geometric ``Data``, one for each graph.

        Parameters
        ----------
        both_directions
            Whether each edge is there in both directions, as most layers of PyG expect: first all
            (u, v), then all (v, u).

        Returns
        -------
        list of Data
            With ``edge_index``, ``edge_weight`` (the costs), ``num_nodes``; where known with
            ``edge_label`` (1 for cut edges), ``objective`` and ``pos``. If there are lifted edges,
            also with ``lifted_edge_index`` and ``lifted_edge_weight``.
        """
        from multicut.datasets.pyg import to_data_list

        return to_data_list(self._arrays, both_directions=both_directions)

    def to_batch(self, *, both_directions: bool = True) -> Any:
        """Return one PyTorch Geometric ``Batch`` of all graphs; see :meth:`to_pyg`.

        Either all graphs have labels or none has.
        """
        needed("torch", "torch_geometric", by="to_batch")
        from torch_geometric.data import Batch

        if len(self) == 0:
            raise ValueError("a batch needs at least one graph, but the dataset is empty")
        # PyG would drop the labels, or fail, depending on which graph comes first.
        if self.labelled.any() and not self.labelled.all():
            raise ValueError(
                f"only {int(self.labelled.sum())} of {count(len(self), 'graph')} have labels; take "
                f"those with dataset[dataset.labelled], or label all with dataset.label()"
            )
        return Batch.from_data_list(self.to_pyg(both_directions=both_directions))

    def _name_of(self, i: int) -> str:
        return self._names[i] if self._names is not None else f"{self.name}-{self._numbers[i]}"

    def _problem(self, i: int) -> LabelledProblem:
        if not -len(self) <= i < len(self):
            raise IndexError(f"the dataset has {count(len(self), 'graph')}, got index {i}")
        i %= len(self)
        a = self._arrays
        edges = slice(a.edge_offsets[i], a.edge_offsets[i + 1])
        nodes = slice(a.node_offsets[i], a.node_offsets[i + 1])
        is_labelled = not np.isnan(a.objective[i])
        lifted: dict[str, Any] = {}
        if a.lifted_offsets is not None and a.lifted_edges is not None:
            own = slice(a.lifted_offsets[i], a.lifted_offsets[i + 1])
            if own.stop > own.start and a.lifted_costs is not None:
                lifted["lifted_edges"] = a.lifted_edges[own].astype(np.int64)
                lifted["lifted_costs"] = a.lifted_costs[own]
        return LabelledProblem(
            a.edges[edges].astype(np.int64),
            a.costs[edges],
            int(nodes.stop - nodes.start),
            name=self._name_of(i),
            cut=np.array(a.cut[edges]) if a.cut is not None and is_labelled else None,
            objective=as_known(a.objective[i]),
            lower_bound=as_known(a.lower_bound[i]),
            positions=None if a.positions is None else a.positions[nodes].astype(np.float64),
            **lifted,
        )

    def _take(self, graphs: IntArray, name: str | None = None) -> Dataset:
        names = None if self._names is None else [self._names[i] for i in graphs.tolist()]
        arrays = self._arrays.take(graphs)
        # Graphs without names of their own go on being called after the whole.
        result = Dataset(arrays, name=self.name, names=names, numbers=self._numbers[graphs])
        result.info = dict(self.info)
        if name is not None:
            result._names = result.names if names is None else names
            result.name = name
        return result
