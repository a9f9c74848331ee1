"""Edges, costs and node ids that a caller passes, validated and converted to arrays."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from decimal import Decimal
from numbers import Real
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np

from multicut._arrays import FloatArray, IntArray, MaskedError, given_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray


def _as_array(values: ArrayLike, name: str, shape: str) -> NDArray[Any]:
    try:
        array = given_array(values, name)
    except MaskedError:
        raise
    except ValueError:
        raise ValueError(f"{name} must have shape {shape}, got rows of different lengths") from None
    except (TypeError, RuntimeError, OverflowError) as error:
        raise TypeError(f"{name} cannot be converted to an array ({error}); pass numbers") from None
    if array.ndim == 0:
        advice = ""
        if isinstance(values, Mapping):
            advice = "; pass its keys as edges and its values as costs, each as a list"
        elif isinstance(values, Iterable) and not isinstance(values, str | bytes):
            advice = "; wrap it in list(...)"
        elif isinstance(values, int | float) and name.endswith("costs"):
            edges = name.replace("costs", "edges")
            advice = f"; one for each edge: numpy.full(len({edges}), {values!r})"
        raise TypeError(f"{name} must be an array or a list, got {type(values).__name__}{advice}")
    return array


def as_edges(edges: ArrayLike, name: str = "edges") -> NDArray[Any]:
    """Validate the ends of edges: integers of 64 bits, or names as objects."""
    array = _as_array(edges, name, "(m, 2)")
    if array.shape in ((0,), (0, 2)):
        return np.empty((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[1] != 2:
        raise ValueError(
            f"{name} must have shape (m, 2), got {array.shape}{_advice_on(array, name)}"
        )
    if array.dtype.kind in "fO" and not isinstance(edges, np.ndarray):
        array = _whole_numbers(edges, array)
    if array.dtype.kind in "UOT":
        return _as_names(edges, array, name)
    if array.dtype.kind not in "iu":
        kind = "str" if array.dtype.kind == "S" else "int"
        raise TypeError(
            f"{name} must contain node ids, integers or strings, got {array.dtype}; convert them, "
            f"for example with {name}.astype({kind})"
        )
    if array.dtype == np.uint64 and array.max() > np.iinfo(np.int64).max:
        raise ValueError(_too_large(array.max()))
    return np.ascontiguousarray(array, dtype=np.int64)


def _advice_on(array: NDArray[Any], name: str) -> str:
    """Return advice on an array whose shape is not (m, 2)."""
    if array.ndim == 3:
        return "; a node id must be an integer or a string: pass tuples and the like as node_ids"
    if array.ndim != 2:
        return ""
    if array.shape[1] == 3 and (array.dtype.kind == "f" or array.shape[0] != 2):
        costs = name.replace("edges", "costs")
        call = "Problem(a[:, :2].astype(int), a[:, 2])"
        if name != "edges":
            call = f"{name}=a[:, :2].astype(int), {costs}=a[:, 2]"
        return f"; pass the last column as {costs}: {call}"
    if array.shape[0] == 2:
        return "; transpose it"
    if array.shape[0] == array.shape[1] and name == "edges":
        return "; for a matrix of costs, Problem.from_scipy(scipy.sparse.csr_array(matrix))"
    return ""


def _too_large(node: Any) -> str:
    return f"node ids must be below 2^63, got {node}; number the nodes, or pass ids as strings"


def _whole_numbers(edges: ArrayLike, array: NDArray[Any]) -> NDArray[Any]:
    """Raise an error if numpy converted integers to another type since they exceed 64 bits."""
    entries = np.asarray(edges, dtype=object).reshape(-1).tolist()
    if all(isinstance(entry, int | np.integer) for entry in entries):
        _check_size(entries)
    return array


def _check_size(entries: list[Any]) -> None:
    largest = max(entries, key=abs)
    if not -(2**63) <= largest < 2**63:
        raise ValueError(_too_large(largest))


def _as_names(edges: ArrayLike, array: NDArray[Any], name: str) -> NDArray[Any]:
    """Validate names; if all entries are integers, return these."""
    # numpy would convert the integers of a mixed list to strings.
    names = array if isinstance(edges, np.ndarray) else np.asarray(edges, dtype=object)
    names = names.astype(object)
    entries = names.reshape(-1).tolist()
    if all(isinstance(entry, int | np.integer) for entry in entries):
        _check_size(entries)
        return names.astype(np.int64)
    odd = next((i for i, entry in enumerate(entries) if not isinstance(entry, str)), None)
    if odd is not None:
        raise TypeError(
            f"{name} must contain node ids that are all integers or all strings, got "
            f"{entries[odd]!r} at edge {odd // 2}; convert them, or pass other names as node_ids"
        )
    return names


def number_names(
    edges: NDArray[Any], node_ids: NDArray[Any] | None, num_nodes: SupportsIndex | None
) -> tuple[IntArray, NDArray[Any]]:
    """Replace names by their positions among all names, or among those that occur."""
    entries = edges.reshape(-1).tolist()
    if node_ids is None:
        if num_nodes is not None:
            raise ValueError(
                f"num_nodes={num_nodes} does not fit edges of names; list all names with node_ids="
            )
        names = list(dict.fromkeys(entries))
        node_ids = np.empty(len(names), dtype=object)
        node_ids[:] = names
    positions = {name: i for i, name in enumerate(node_ids.tolist())}
    try:
        numbers = [positions[name] for name in entries]
    except KeyError as error:
        raise ValueError(
            f"edges name the node {error.args[0]!r}, which is not in node_ids; add it there"
        ) from None
    return np.array(numbers, dtype=np.int64).reshape(-1, 2), node_ids


def as_costs(costs: ArrayLike, num_edges: int, name: str = "costs") -> FloatArray:
    """Validate one real number per edge."""
    array = _as_array(costs, name, f"({num_edges},)")
    if array.dtype.kind == "O" and array.ndim == 1:
        array = _real_numbers(array, name)
    if array.size > 0 and array.dtype.kind not in "iufb":
        raise TypeError(
            f"{name} must be real numbers, got {array.dtype}; convert them, for example with "
            f"{name}.astype(float)"
        )
    if array.ndim != 1 or len(array) != num_edges:
        raise ValueError(
            f"{name} must contain one value per {_edge_of(name)}, shape ({num_edges},), "
            f"got {array.shape}"
        )
    try:
        with np.errstate(over="raise"):
            return np.array(array, dtype=np.float64)
    except FloatingPointError:
        raise ValueError(f"{name} must fit a double (1.8e308); scale them down") from None


def _edge_of(costs: str) -> str:
    return "edge" if costs == "costs" else "lifted edge"


def _real_numbers(array: NDArray[Any], name: str) -> NDArray[Any]:
    """Convert fractions, decimals and large integers to doubles; leave other objects."""
    for edge, value in enumerate(array.tolist()):
        if value is None:
            raise ValueError(
                f"{name} must be real numbers, got None at {_edge_of(name)} {edge}; drop or "
                f"impute it"
            )
        if not isinstance(value, Real | Decimal):
            return array
    try:
        return array.astype(np.float64)
    except OverflowError:
        raise ValueError(f"{name} must fit a double (1.8e308); scale them down") from None


def as_count(num_nodes: SupportsIndex | None) -> int | None:
    if num_nodes is None:
        return None
    try:
        number = operator.index(num_nodes)
    except TypeError:
        raise TypeError(f"num_nodes must be an integer, got {num_nodes!r}") from None
    if not 0 <= number < 2**31:
        raise ValueError(f"num_nodes must be at least 0 and below 2^31, got {number}")
    return number


def as_node_ids(
    node_ids: Sequence[Any] | NDArray[Any], num_nodes: SupportsIndex | None
) -> NDArray[Any]:
    names = list(node_ids)
    if num_nodes is not None and as_count(num_nodes) != len(names):
        raise ValueError(f"num_nodes={num_nodes} does not fit {len(names)} node_ids; omit it")
    if len(set(names)) != len(names):
        seen: set[Any] = set()
        repeated = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"node_ids must be different, got {repeated!r} more than once")
    try:
        if all(isinstance(name, int | np.integer) for name in names):
            return np.array(names, dtype=np.int64)
    except OverflowError:
        pass  # integers of more than 64 bits are names like any other
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array
