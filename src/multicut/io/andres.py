"""HDF5 files of Andres' graph library.

A group ``graph`` and next to it, or in it, a dataset ``edge-values``::

    graph/graph-type-id           10000: a list of edges; 10002: a complete graph
    graph/number-of-vertices
    graph/number-of-edges
    graph/multiple-edges-enabled
    graph/edges                   (m, 2)
    edge-values                   (m,), positive attracts

The library keeps all first ends in the front half of ``graph/edges`` and all second ends in the
rear half, although its shape says (m, 2); programs that write such files with other tools put the
two ends of an edge next to each other. With ``graph-type-id`` the reader assumes the former, unless
that gives self-loops or duplicate edges that ``multiple-edges-enabled`` rules out and the latter
does not; without it, the reader assumes the latter. Shape (2, m) and the dataset names
``edge-indices`` and ``vertices`` of older versions of the library are read, too.

The library can read the files that are written. Order and direction of edges, isolated nodes and
exact costs are kept; integer node ids are kept in a further dataset ``graph/node-ids``. Other node
ids cannot be stored, and grid graphs cannot be read.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from multicut._arrays import IntArray
from multicut._words import count
from multicut.io.build import build_problem, count_pairs, integer_ids, upper_triangle
from multicut.io.hdf5 import edit_hdf5, groups, has_dataset, is_hdf5, open_hdf5, read_array
from multicut.io.record import single
from multicut.io.source import Source
from multicut.problem import Problem

_EDGE_LIST = 10000
_COMPLETE = 10002
_EDGES = ("edges", "edge-indices")
_VERTICES = ("number-of-vertices", "vertices")
_VALUES = "edge-values"


def _find(file: Any) -> tuple[Any, Any] | None:
    """Return the group that holds the graph and the one that holds the costs."""
    for _, group in groups(file):
        if any(has_dataset(group, name) for name in (*_EDGES, "graph-type-id")):
            for holder in (group.parent, group):
                if has_dataset(holder, _VALUES):
                    return group, holder
    return None


def _recognises(source: Source) -> bool:
    if not is_hdf5(source):
        return False
    with open_hdf5(source) as file:
        return _find(file) is not None


def _read(source: Source) -> Problem:
    with open_hdf5(source) as file:
        found = _find(file)
        if found is None:
            raise source.error(
                "contains no group with the datasets 'edges' and, in or next to it, 'edge-values'"
            )
        group, holder = found
        costs = read_array(source, holder, _VALUES, "iuf")
        graph_type = _scalar(source, group, ("graph-type-id",))
        num_nodes = _scalar(source, group, _VERTICES)
        edges = _read_edges(source, group, graph_type, num_nodes, len(costs))
        node_ids = None
        if has_dataset(group, "node-ids"):
            node_ids = read_array(source, group, "node-ids", "iu")
    if len(edges) != len(costs):
        raise source.error(
            f"states {count(len(edges), 'edge')} but {count(len(costs), 'edge-value')}"
        )
    if num_nodes is None:
        num_nodes = int(np.max(edges, initial=-1)) + 1
    return build_problem(source, edges, costs, num_nodes, node_ids)


def _scalar(source: Source, group: Any, names: tuple[str, ...]) -> int | None:
    for name in names:
        if has_dataset(group, name):
            ndim = len(group[name].shape or ())
            values = read_array(source, group, name, "iu", ndim).reshape(-1)
            if len(values) != 1:
                raise source.error(f"dataset {group.name}/{name} must contain one number")
            return int(values[0])
    return None


def _read_edges(
    source: Source, group: Any, graph_type: int | None, num_nodes: int | None, num_costs: int
) -> IntArray:
    if graph_type == _COMPLETE and num_nodes is not None:
        if count_pairs(num_nodes) != num_costs:
            raise source.error(
                f"states a complete graph of {count(num_nodes, 'node')} but "
                f"{count(num_costs, 'edge-value')}"
            )
        return upper_triangle(num_nodes)
    if graph_type not in (None, _EDGE_LIST):
        raise source.error(
            f"graph-type-id is {graph_type}; only {_EDGE_LIST} (a list of edges) and {_COMPLETE} "
            f"(a complete graph) can be read"
        )
    name = next((name for name in _EDGES if has_dataset(group, name)), None)
    if name is None:  # the library leaves it out where there are no edges
        return np.empty((0, 2), dtype=np.int64)
    array = read_array(source, group, name, "iu", ndim=2)
    if 2 not in array.shape:
        raise source.error(f"dataset {group.name}/{name} must have shape (m, 2), got {array.shape}")
    if array.shape[1] != 2:
        return array.T
    if graph_type is None:
        return array
    halves = array.reshape(2, -1).T
    must_be_simple = not _scalar(source, group, ("multiple-edges-enabled",))
    misread = must_be_simple and not _is_simple(halves) and _is_simple(array)
    return array if misread else halves


def _is_simple(edges: NDArray[Any]) -> bool:
    """Whether there are no self-loops and duplicates; the wrong layout gives many of them."""
    if np.min(edges, initial=0) < 0:
        return True  # no reading helps; the problem's own check will complain
    problem = Problem(edges, np.zeros(len(edges)))
    return problem.num_self_loops == 0 and problem.num_duplicates == 0


def _write(problem: Problem, stream: IO[bytes], _suffix: str) -> None:
    ids = integer_ids(problem, RECORD.name) if problem.has_own_ids else None
    with edit_hdf5(stream, "w") as file:
        graph = file.create_group("graph")
        graph["graph-type-id"] = np.int32(_EDGE_LIST)
        graph["multiple-edges-enabled"] = np.uint8(0)
        graph["number-of-vertices"] = np.uint64(problem.num_nodes)
        graph["number-of-edges"] = np.uint64(problem.num_edges)
        if problem.num_edges > 0:
            halves = np.ascontiguousarray(problem.edges.T, dtype=np.uint64)
            graph["edges"] = halves.reshape(-1, 2)
        if ids is not None:
            graph["node-ids"] = ids
        file[_VALUES] = problem.costs


RECORD = single(
    name="andres",
    description="HDF5 of Andres' graph library: graph/edges and edge-values",
    suffixes=(".andres.h5",),
    recognises=_recognises,
    read=_read,
    write=_write,
)
