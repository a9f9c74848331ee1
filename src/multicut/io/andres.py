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

A lifted problem has a second group ``graph-lifted``, whose edges are those of ``graph`` and the
lifted ones, and values for all of them: ``edge-values``, or ``edge-cut-probabilities`` as the
library writes them. Such a probability p costs log((1 - p) / p), where p is kept between 1/255 and
254/255, as the library does. If some of them are below 0 or above 1, all of them are costs, which
is what the library's option ``--non-probabilistic`` takes them for. An edge of ``graph`` that
``graph-lifted`` lacks costs nothing. Both datasets are written; a lifted edge between the ends of
an edge is added to that, since the library counts each pair once.

The library can read the files that are written. Order and direction of edges, isolated nodes and
exact costs are kept; integer node ids are kept in a further dataset ``graph/node-ids``. Other node
ids cannot be stored, and grid graphs cannot be read.
"""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from multicut._arrays import BoolArray, FloatArray, IntArray
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
_LIFTED, _PROBABILITIES = "graph-lifted", "edge-cut-probabilities"
# The library keeps probabilities so far away from 0 and 1.
_LEAST_PROBABILITY = 1 / 255
_MOST_NODES = 2**31


def _find(file: Any) -> tuple[Any, Any] | None:
    """Return the group that holds the graph and the one that holds the costs."""
    for _, group in groups(file):
        if any(has_dataset(group, name) for name in (*_EDGES, "graph-type-id")):
            for holder in (group.parent, group):
                if has_dataset(holder, _VALUES):
                    return group, holder
    return None


def _find_lifted(file: Any) -> tuple[Any, Any, Any] | None:
    """Return the groups of the graph and the lifted graph, and the one that holds the costs."""
    for name, group in groups(file):
        if name.rpartition("/")[2] != _LIFTED:
            continue
        holder = group.parent
        has_values = any(has_dataset(holder, key) for key in (_VALUES, _PROBABILITIES))
        if has_values and "graph" in holder:
            return holder["graph"], group, holder
    return None


def _recognises(source: Source) -> bool:
    if not is_hdf5(source):
        return False
    with open_hdf5(source) as file:
        return _find_lifted(file) is not None or _find(file) is not None


def _read(source: Source) -> Problem:
    with open_hdf5(source) as file:
        lifted = _find_lifted(file)
        if lifted is not None:
            return _read_lifted(source, *lifted)
        found = _find(file)
        if found is None:
            raise source.error(
                "contains no group with the datasets 'edges' and, in or next to it, 'edge-values'"
            )
        group, holder = found
        costs = read_array(source, holder, _VALUES, "iuf")
        edges, num_nodes = _read_graph(source, group, len(costs))
        node_ids = _read_ids(source, group)
    _check_count(source, edges, costs)
    if num_nodes is None:
        num_nodes = int(np.max(edges, initial=-1)) + 1
    return build_problem(source, edges, costs, num_nodes, node_ids)


def _read_lifted(source: Source, graph: Any, lifted_graph: Any, holder: Any) -> Problem:
    costs = _read_lifted_costs(source, holder)
    all_edges, num_nodes = _read_graph(source, lifted_graph, len(costs))
    _check_count(source, all_edges, costs)
    edges, own_nodes = _read_graph(source, graph)
    if num_nodes is None:
        num_nodes = own_nodes
    if num_nodes is None:
        ends = np.concatenate([edges, all_edges])
        num_nodes = int(np.max(ends, initial=-1)) + 1
    positions, is_lifted = _match(source, edges, all_edges)
    known = positions >= 0
    own_costs = np.zeros(len(edges))
    own_costs[known] = costs[positions[known]]
    lifted = (all_edges[is_lifted], costs[is_lifted])
    return build_problem(source, edges, own_costs, num_nodes, _read_ids(source, graph), lifted)


def _read_lifted_costs(source: Source, holder: Any) -> FloatArray:
    if has_dataset(holder, _VALUES):
        return read_array(source, holder, _VALUES, "iuf")
    values: FloatArray = read_array(source, holder, _PROBABILITIES, "iuf").astype(np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        return values
    clipped = np.clip(values, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
    return np.log((1 - clipped) / clipped)


def _match(source: Source, edges: IntArray, all_edges: IntArray) -> tuple[IntArray, BoolArray]:
    """Return the position of each edge among all, -1 if it is missing, and which are lifted."""
    largest = max(int(np.max(part, initial=-1)) for part in (edges, all_edges))
    if largest >= _MOST_NODES:
        raise source.error(f"node ids must be below 2^31, got {largest}")
    own, keys = (
        part.min(axis=1).astype(np.int64) * (largest + 1) + part.max(axis=1).astype(np.int64)
        for part in (edges, all_edges)
    )
    is_lifted = np.isin(keys, own, invert=True)
    if len(keys) == 0:
        return np.full(len(own), -1), is_lifted
    order = np.argsort(keys, kind="stable")
    ranks = np.minimum(np.searchsorted(keys, own, sorter=order), len(keys) - 1)
    positions = order[ranks]
    return np.where(keys[positions] == own, positions, -1), is_lifted


def _check_count(source: Source, edges: IntArray, costs: FloatArray) -> None:
    if len(edges) != len(costs):
        raise source.error(
            f"states {count(len(edges), 'edge')} but {count(len(costs), 'edge-value')}"
        )


def _read_graph(
    source: Source, group: Any, num_costs: int | None = None
) -> tuple[IntArray, int | None]:
    """Return the edges of a graph and its number of nodes, if that is stated."""
    graph_type = _scalar(source, group, ("graph-type-id",))
    num_nodes = _scalar(source, group, _VERTICES)
    return _read_edges(source, group, graph_type, num_nodes, num_costs), num_nodes


def _read_ids(source: Source, group: Any) -> IntArray | None:
    if not has_dataset(group, "node-ids"):
        return None
    return read_array(source, group, "node-ids", "iu")


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
    source: Source,
    group: Any,
    graph_type: int | None,
    num_nodes: int | None,
    num_costs: int | None,
) -> IntArray:
    if graph_type == _COMPLETE and num_nodes is not None:
        source.check_size(edges=count_pairs(num_nodes))
        if num_costs is not None and count_pairs(num_nodes) != num_costs:
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
        graph = _write_graph(file, "graph", problem.edges, problem.num_nodes)
        if ids is not None:
            graph["node-ids"] = ids
        if not problem.is_lifted:
            file[_VALUES] = problem.costs
            return
        merged = Problem(
            np.concatenate([problem.edges, problem.lifted_edges]),
            np.concatenate([problem.costs, problem.lifted_costs]),
            problem.num_nodes,
        )
        _write_graph(file, _LIFTED, merged.edges, problem.num_nodes)
        file[_VALUES] = merged.costs
        with np.errstate(over="ignore"):
            file[_PROBABILITIES] = 1 / (1 + np.exp(merged.costs))


def _write_graph(file: Any, name: str, edges: IntArray, num_nodes: int) -> Any:
    graph = file.create_group(name)
    graph["graph-type-id"] = np.int32(_EDGE_LIST)
    graph["multiple-edges-enabled"] = np.uint8(0)
    graph["number-of-vertices"] = np.uint64(num_nodes)
    graph["number-of-edges"] = np.uint64(len(edges))
    if len(edges) > 0:
        graph["edges"] = np.ascontiguousarray(edges.T, dtype=np.uint64).reshape(-1, 2)
    return graph


RECORD = single(
    name="andres",
    description="HDF5 of Andres' graph library: graph/edges and edge-values",
    suffixes=(".andres.h5",),
    recognises=_recognises,
    read=_read,
    write=_write,
    holds_lifted=True,
)
