"""OpenGM models (HDF5) whose energy is that of a multicut.

A group, usually ``gm``, for each model::

    header              2, 0, variables, factors, function types, (type, count) …, value type
    numbers-of-states   labels of each variable
    function-id-16006   Potts: indices hold both label counts, values [equal, different]
    function-id-16000   tables: indices [dimension, shape …], values with the first index fastest
    factors             function, position of its type in the header, variables, variable …

Nodes are variables; each factor of two variables is an edge of cost f(1, 0) - f(0, 0), factors over
the same two add up. Tables must be of Potts kind (one value for equal, one for different labels).
Factors of one variable must be zero, and each variable must have at least as many labels as there
are variables: with fewer, not every partition has a labelling.

One Potts function per edge is written, with [0, cost], so that order of edges, isolated nodes and
exact costs are kept. OpenGM requires ascending variables: a further dataset
``multicut-reversed`` marks edges given the other way round, and ``multicut-node-ids`` keeps integer
node ids, if there are any. With several models in a file, an attribute ``multicut-position`` of
each group keeps their order. Other node ids, and the constant part of an energy, cannot be stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import IO, Any

import numpy as np

from multicut._arrays import FloatArray, IntArray
from multicut.io.build import build_problem, integer_ids
from multicut.io.hdf5 import edit_hdf5, groups, has_dataset, is_hdf5, open_hdf5, read_array
from multicut.io.opengm_functions import POTTS, read_functions
from multicut.io.record import FormatRecord, Loader
from multicut.io.source import Source
from multicut.problem import Problem

_VALUES_ARE_DOUBLE = 1
_REVERSED = "multicut-reversed"
_NODE_IDS = "multicut-node-ids"
_POSITION = "multicut-position"
_DATASETS = {"header", "numbers-of-states", "factors", f"function-id-{POTTS}", _REVERSED, _NODE_IDS}


def _models(file: Any) -> list[str]:
    found = {
        name: group
        for name, group in groups(file)
        if has_dataset(group, "header") and has_dataset(group, "numbers-of-states")
    }
    return sorted(found, key=lambda name: _position(found[name]))


def _position(group: Any) -> int:
    """Return the place of a model among those of its file; HDF5 itself sorts by name."""
    position = np.asarray(group.attrs.get(_POSITION, 0))
    return int(position) if position.dtype.kind in "iu" and position.ndim == 0 else 0


def _recognises(source: Source) -> bool:
    if not is_hdf5(source):
        return False
    with open_hdf5(source) as file:
        return len(_models(file)) > 0


def _load(source: Source) -> Mapping[str, Loader]:
    with open_hdf5(source) as file:
        names = _models(file)
    if not names:
        raise source.error("contains no group with the datasets 'header' and 'numbers-of-states'")
    if len(names) == 1:
        return {source.stem: partial(_read, source, names[0])}
    return {name: partial(_read, source, name) for name in names}


def _read(source: Source, name: str) -> Problem:
    with open_hdf5(source) as file:
        group = file[name] if name else file
        num_nodes, num_factors, types = _read_header(source, group)
        states = read_array(source, group, "numbers-of-states", "iu")
        if len(states) != num_nodes:
            raise source.error(
                f"the header states {num_nodes} variables, numbers-of-states {len(states)}"
            )
        if num_nodes > 0 and states.min() < num_nodes:
            raise source.error(
                f"not a multicut: {num_nodes} variables need {num_nodes} labels each so that every "
                f"partition has a labelling, got {states.min()}"
            )
        functions = [read_functions(source, group, *entry) for entry in types]
        flat = (
            read_array(source, group, "factors", "iu")
            if num_factors > 0
            else np.empty(0, dtype=np.int64)
        )
        edges, costs = _read_factors(source, flat, num_factors, functions)
        if has_dataset(group, _REVERSED):
            marks = read_array(source, group, _REVERSED, "iu")
            if len(marks) != len(edges):
                raise source.error(f"dataset {_REVERSED} must contain one mark per edge")
            edges = np.where(marks[:, None] != 0, edges[:, ::-1], edges)
        ids = read_array(source, group, _NODE_IDS, "iu") if has_dataset(group, _NODE_IDS) else None
    return build_problem(source, edges, costs, num_nodes, ids)


def _read_header(source: Source, group: Any) -> tuple[int, int, list[tuple[int, int]]]:
    header = [int(entry) for entry in read_array(source, group, "header", "iu")]
    if len(header) < 5 or header[:2] != [2, 0]:
        raise source.error(
            f"the header must begin with 2, 0 (the version) and have at least 5 entries, got "
            f"{header[:5]}"
        )
    num_types = header[4]
    # Old versions of OpenGM leave out the type of the values.
    if len(header) not in (5 + 2 * num_types, 6 + 2 * num_types):
        raise source.error(f"the header states {num_types} function types but has other entries")
    pairs = header[5 : 5 + 2 * num_types]
    if len(set(pairs[::2])) < num_types:
        raise source.error("the header lists a function type twice")
    return header[2], header[3], list(zip(pairs[::2], pairs[1::2], strict=True))


def _read_factors(
    source: Source, flat: IntArray, num_factors: int, functions: list[dict[int, FloatArray]]
) -> tuple[IntArray, FloatArray]:
    """Turn factors into edges with costs."""
    records = _factor_table(source, flat, num_factors)
    order = records[:, 2]
    costs = np.zeros(num_factors)
    for type_index in np.unique(records[:, 1]).tolist():
        if not 0 <= type_index < len(functions):
            raise source.error(f"a factor has function type {type_index} of {len(functions)}")
        for dimension in np.unique(order[records[:, 1] == type_index]).tolist():
            chosen = (records[:, 1] == type_index) & (order == dimension)
            table = functions[type_index].get(dimension, np.empty(0))
            index = records[chosen, 0]
            known = (index >= 0) & (index < len(table))
            if not known.all() or np.isnan(values := table[index]).any():
                raise source.error(
                    f"a factor of {dimension} variable(s) has no function of that dimension"
                )
            costs[chosen] = values
    if (costs[order == 1] != 0).any():
        variable = records[(order == 1) & (costs != 0), 3][0]
        raise source.error(
            f"not a multicut: variable {variable} has a unary factor that is not zero"
        )
    pairs = order == 2
    return records[pairs, 3:5], costs[pairs]


def _factor_table(source: Source, flat: IntArray, num_factors: int) -> IntArray:
    """Bring factors of one or two variables into rows: function, type, order, u, v."""
    if len(flat) == 5 * num_factors and (flat[2::5] == 2).all():
        return flat.reshape(-1, 5)
    entries = flat.tolist()
    records: list[list[int]] = []
    position = 0
    while position + 3 <= len(entries) and len(records) < num_factors:
        order = entries[position + 2]
        end = position + 3 + order
        if order not in (1, 2) or end > len(entries):
            raise source.error(
                f"factor {len(records)} has {order} variables; a multicut has factors of two"
                if end <= len(entries)
                else f"factors end within factor {len(records)}; the file may be cut short"
            )
        records.append(entries[position:end] + [0] * (2 - order))
        position = end
    if position != len(entries) or len(records) != num_factors:
        raise source.error(
            f"the header states {num_factors} factors, dataset factors holds "
            f"{'more' if len(records) == num_factors else len(records)}"
        )
    return np.array(records, dtype=np.int64).reshape(-1, 5)


def _dump(problems: Mapping[str, Problem], stream: IO[bytes], _suffix: str) -> None:
    if len(problems) > 1:
        for name in problems:
            _check_name(name)
    with edit_hdf5(stream, "w") as file:
        for position, (name, problem) in enumerate(problems.items()):
            group = file.require_group("gm" if len(problems) == 1 else name)
            _write(problem, group)
            if len(problems) > 1:
                group.attrs[_POSITION] = position


def _check_name(name: str) -> None:
    """Raise an error for a name that a group cannot have."""
    parts = name.split("/")
    inside_another = any(part in _DATASETS for part in parts[1:])
    if "" in parts or "." in parts or "\0" in name or inside_another or not _is_unicode(name):
        raise ValueError(
            f"format 'opengm' cannot store a problem with the name {name!r}: names are paths of "
            f"HDF5 "
            f"groups; rename it, or write another format"
        )


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _write(problem: Problem, group: Any) -> None:
    num_nodes, num_edges = problem.num_nodes, problem.num_edges
    header = [2, 0, num_nodes, num_edges, 1, POTTS, num_edges, _VALUES_ARE_DOUBLE]
    group["header"] = np.array(header, dtype=np.uint64)
    group["numbers-of-states"] = np.full(num_nodes, num_nodes, dtype=np.uint64)
    if num_edges > 0:
        factors = np.zeros((num_edges, 5), dtype=np.uint64)
        factors[:, 0] = np.arange(num_edges)
        factors[:, 2] = 2
        factors[:, 3:] = np.sort(problem.edges, axis=1)
        group["factors"] = factors.reshape(-1)
        potts = group.create_group(f"function-id-{POTTS}")
        potts["indices"] = np.full(2 * num_edges, num_nodes, dtype=np.uint64)
        potts["values"] = np.stack([np.zeros(num_edges), problem.costs], axis=1).reshape(-1)
        is_reversed = problem.edges[:, 0] > problem.edges[:, 1]
        if is_reversed.any():
            group[_REVERSED] = is_reversed.astype(np.uint8)
    if problem.has_own_ids:
        group[_NODE_IDS] = integer_ids(problem, RECORD.name)


RECORD = FormatRecord(
    name="opengm",
    description="OpenGM model (HDF5) of Potts functions without unary terms",
    suffixes=(".h5", ".hdf5"),
    holds_many=True,
    recognises=_recognises,
    load=_load,
    dump=_dump,
)
