"""NumPy archives: one problem, or many packed into few arrays.

Packed, the layout that is written, also for one problem:

==============  ====================================================================
``name``        string per graph
``n_nodes``     number of nodes per graph
``edge_ptr``    graph i owns the edges ``edge_ptr[i] … edge_ptr[i+1]-1``
``u``, ``v``    node indices of each edge, from 0 in each graph
``cost``        double per edge
``optimum``     minimal objective per graph, nan where unknown
``node_id``     id per node, graph after graph; only if some differ from the indices
``lifted_…``    ``ptr``, ``u``, ``v`` and ``cost`` of lifted edges; only if there are any
==============  ====================================================================

Single, read only: ``edges`` (m, 2), ``costs`` (m,), and optionally ``num_nodes``, ``node_ids``,
``lifted_edges`` (k, 2) and ``lifted_costs`` (k,).

Everything is kept: order and direction of edges, isolated nodes, exact costs, and node ids that are
integers or strings. Other node ids cannot be stored, since reading them would run pickled code.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from functools import partial
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from multicut._arrays import FloatArray, IntArray
from multicut.io.arrays import check_array
from multicut.io.build import NUMBER_NODES, build_problem
from multicut.io.errors import DAMAGE
from multicut.io.numpy_files import unpack_npy
from multicut.io.record import FormatRecord, Loader
from multicut.io.source import Source
from multicut.problem import Problem

_PACKED_KEYS = ("name", "n_nodes", "edge_ptr", "u", "v", "cost")
_SINGLE_KEYS = ("edges", "costs")
_PACKED_LIFTED_KEYS = ("lifted_ptr", "lifted_u", "lifted_v", "lifted_cost")
_SINGLE_LIFTED_KEYS = ("lifted_edges", "lifted_costs")
_LIFTED_KEYS = (*_PACKED_LIFTED_KEYS, *_SINGLE_LIFTED_KEYS)
_OPTIONAL_KEYS = ("node_id", "num_nodes", "node_ids", *_LIFTED_KEYS)


def _recognises(source: Source) -> bool:
    return source.head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


class _Archive:
    """The arrays of a file, each checked when it is asked for."""

    def __init__(self, source: Source) -> None:
        self.source = source
        try:
            with zipfile.ZipFile(source.handle()) as archive:
                # Never unpack more than the archive states here.
                source.check_size(bytes=sum(member.file_size for member in archive.infolist()))
                self.keys = [name.removesuffix(".npy") for name in archive.namelist()]
                # Zip files may hold anything else; only the arrays that are needed are unpacked.
                self._members = {
                    key: archive.read(f"{key}.npy")
                    for key in (*_PACKED_KEYS, *_SINGLE_KEYS, *_OPTIONAL_KEYS)
                    if key in self.keys
                }
        except DAMAGE as error:
            raise source.error(f"not a readable npz archive ({error})") from None

    def __contains__(self, key: str) -> bool:
        return key in self._members

    def array(self, key: str, kinds: str, size: int | None = None, ndim: int = 1) -> NDArray[Any]:
        """Return an array of given kinds of numbers, number of dimensions and length."""
        try:
            array = unpack_npy(self._members[key])
        except (ValueError, TypeError, RecursionError, *DAMAGE) as error:
            raise self.source.error(f"array {key!r} cannot be read ({error})") from None
        check_array(self.source, f"array {key!r}", array, kinds, ndim)
        if size is not None and len(array) != size:
            raise self.source.error(f"array {key!r} must have length {size}, got {len(array)}")
        return array


def _load(source: Source) -> Mapping[str, Loader]:
    archive = _Archive(source)
    if all(key in archive for key in _SINGLE_KEYS):
        return {source.stem: partial(_read_single, archive)}
    missing = [key for key in _PACKED_KEYS if key not in archive]
    if missing:
        raise source.error(
            f"lacks the array(s) {', '.join(missing)}; expected {', '.join(_PACKED_KEYS)} or "
            f"{', '.join(_SINGLE_KEYS)}, got {', '.join(archive.keys[:8]) or 'none'}"
        )
    return _load_packed(archive)


def _read_single(archive: _Archive) -> Problem:
    edges, costs = _read_pairs(archive, "edges", "costs")
    lifted = None
    if _has_all(archive, _SINGLE_LIFTED_KEYS):
        lifted = _read_pairs(archive, *_SINGLE_LIFTED_KEYS)
    num_nodes = int(archive.array("num_nodes", "iu", ndim=0)) if "num_nodes" in archive else None
    node_ids = archive.array("node_ids", "iuU") if "node_ids" in archive else None
    if node_ids is not None and num_nodes is None:
        num_nodes = len(node_ids)
    return build_problem(archive.source, edges, costs, num_nodes, node_ids, lifted)


def _read_pairs(archive: _Archive, edges_key: str, costs_key: str) -> tuple[Any, Any]:
    edges = archive.array(edges_key, "iu", ndim=2)
    costs = archive.array(costs_key, "iuf", size=len(edges))
    if edges.shape[1] != 2:
        raise archive.source.error(f"array {edges_key!r} must have shape (m, 2), got {edges.shape}")
    return edges, costs


def _has_all(archive: _Archive, keys: tuple[str, ...]) -> bool:
    """Whether there are lifted edges; all arrays that hold them, or none."""
    missing = [key for key in keys if key not in archive]
    if 0 < len(missing) < len(keys):
        raise archive.source.error(
            f"lacks the array(s) {', '.join(missing)}; lifted edges need {', '.join(keys)}"
        )
    return not missing


def _load_packed(archive: _Archive) -> Mapping[str, Loader]:
    source = archive.source
    names = [str(name) for name in archive.array("name", "U")]
    n_nodes = archive.array("n_nodes", "iu", size=len(names))
    edges = _PackedEdges(archive, ("edge_ptr", "u", "v", "cost"), len(names))
    lifted = None
    if _has_all(archive, _PACKED_LIFTED_KEYS):
        lifted = _PackedEdges(archive, _PACKED_LIFTED_KEYS, len(names))
    if len(set(names)) < len(names):
        raise source.error("several problems have the same name; make the names unique")
    if (n_nodes < 0).any():
        raise source.error("array 'n_nodes' must not be negative")
    node_ptr = np.concatenate([[0], np.cumsum(n_nodes, dtype=np.int64)])
    node_id = archive.array("node_id", "iuU", int(node_ptr[-1])) if "node_id" in archive else None

    def build(i: int) -> Problem:
        ids = None if node_id is None else node_id[node_ptr[i] : node_ptr[i + 1]]
        return build_problem(
            source, *edges.of(i), int(n_nodes[i]), ids, None if lifted is None else lifted.of(i)
        )

    return {name: partial(build, i) for i, name in enumerate(names)}


class _PackedEdges:
    """The edges of many graphs, or their lifted edges, in four arrays."""

    def __init__(self, archive: _Archive, keys: tuple[str, ...], num_graphs: int) -> None:
        pointer, *rest = keys
        self._ptr = archive.array(pointer, "iu", size=num_graphs + 1).astype(np.int64)
        self._u = archive.array(rest[0], "iu")
        self._v = archive.array(rest[1], "iu", size=len(self._u))
        self._cost = archive.array(rest[2], "iuf", size=len(self._u))
        first, last = self._ptr[0], self._ptr[-1]
        if first != 0 or last != len(self._u) or (np.diff(self._ptr) < 0).any():
            raise archive.source.error(
                f"array {pointer!r} must ascend from 0 to the number of edges, {len(self._u)}; it "
                f"goes from {first} to {last}"
            )

    def of(self, graph: int) -> tuple[IntArray, FloatArray]:
        """Return the edges of one graph, and their costs."""
        part = slice(self._ptr[graph], self._ptr[graph + 1])
        return np.stack([self._u[part], self._v[part]], axis=1), self._cost[part]


def _dump(problems: Mapping[str, Problem], stream: IO[bytes], _suffix: str) -> None:
    members = list(problems.values())
    arrays: dict[str, Any] = {
        "name": _strings(list(problems), "names of problems"),
        "n_nodes": np.array([p.num_nodes for p in members], dtype=np.int64),
        "edge_ptr": np.cumsum([0] + [p.num_edges for p in members], dtype=np.int64),
        **_packed([p.edges for p in members], [p.costs for p in members]),
        "optimum": np.full(len(members), np.nan),
    }
    if any(p.is_lifted for p in members):
        counts = [0] + [p.num_lifted_edges for p in members]
        arrays["lifted_ptr"] = np.cumsum(counts, dtype=np.int64)
        lifted = _packed([p.lifted_edges for p in members], [p.lifted_costs for p in members])
        arrays |= {f"lifted_{key}": array for key, array in lifted.items()}
    if any(p.has_own_ids for p in members):
        arrays["node_id"] = _node_ids(members)
    # Costs hardly compress: a third less space is not worth twenty times the time.
    np.savez(stream, **arrays)  # no arrays of objects, so no pickles


def _packed(edges: list[IntArray], costs: list[FloatArray]) -> dict[str, Any]:
    ends = np.concatenate(edges or [np.empty((0, 2), np.int64)])
    return {
        "u": ends[:, 0].astype(np.int32),
        "v": ends[:, 1].astype(np.int32),
        "cost": np.concatenate(costs or [np.empty(0)]),
    }


def _node_ids(problems: list[Problem]) -> NDArray[Any]:
    names = [name for problem in problems for name in problem.node_ids.tolist()]
    kinds = {type(name) for name in names}
    if len(kinds) > 1 or not kinds <= {int, str}:
        odd = next((name for name in names if type(name) is not int), None)
        raise ValueError(
            f"format 'npz' stores node ids that are all integers or all strings, got {odd!r}; "
            f"{NUMBER_NODES}"
        )
    return _strings(names, "node ids") if str in kinds else np.array(names, dtype=np.int64)


def _strings(texts: list[str], what: str) -> NDArray[np.str_]:
    array = np.array(texts, dtype=np.str_)
    if array.tolist() != texts:
        raise ValueError(f"{what} must not end in a zero character, which numpy drops")
    return array


RECORD = FormatRecord(
    name="npz",
    description="NumPy archive: one problem or many, everything kept",
    suffixes=(".npz",),
    holds_many=True,
    recognises=_recognises,
    load=_load,
    dump=_dump,
    holds_lifted=True,
)
