"""HDF5 files of Andres' graph library."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError

EDGES = np.array([[0, 1], [0, 2], [1, 3], [2, 3]], dtype=np.uint64)
PROBLEM = mc.Problem(EDGES, [1.5, -2, 3, 4], num_nodes=5)
LIBRARY = {
    "graph/graph-type-id": np.int32(10000),
    "graph/multiple-edges-enabled": np.uint8(0),
    "graph/number-of-vertices": np.uint64(5),
    "graph/number-of-edges": np.uint64(4),
    # All first ends, then all second ends, under the shape (m, 2).
    "graph/edges": np.array([0, 0, 1, 2, 1, 2, 3, 3], dtype=np.uint64).reshape(4, 2),
    "edge-values": np.array([1.5, -2, 3, 4]),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "problem.h5"


def save(path: Path, datasets: dict[str, Any]) -> None:
    with h5py.File(path, "w") as file:
        for name, value in datasets.items():
            if value is not None:
                file[name] = value


def test_as_the_library_writes(path: Path) -> None:
    save(path, LIBRARY)
    assert mc.read(path) == PROBLEM


def test_as_older_versions_write(path: Path) -> None:
    names = {"graph/number-of-vertices": "graph/vertices", "graph/edges": "graph/edge-indices"}
    save(path, {names.get(key, key): value for key, value in LIBRARY.items()})
    assert mc.read(path) == PROBLEM


@pytest.mark.parametrize("edges", [EDGES, EDGES.T], ids=["rows", "columns"])
@pytest.mark.parametrize("values", ["edge-values", "graph/edge-values"])
def test_as_other_tools_write(path: Path, edges: np.ndarray, values: str) -> None:
    save(path, {"graph/edges": edges, values: [1.5, -2, 3, 4]})
    assert mc.read(path) == mc.Problem(EDGES, [1.5, -2, 3, 4])


def test_rows_under_the_library_s_type_id(path: Path) -> None:
    # Taken as halves the first edge would be (0, 0), which gives the layout away.
    star = [[0, 1], [0, 2], [0, 3], [0, 4]]
    save(path, LIBRARY | {"graph/edges": star})
    assert mc.read(path) == mc.Problem(star, [1.5, -2, 3, 4])
    save(path, LIBRARY | {"graph/edges": star, "graph/multiple-edges-enabled": np.uint8(1)})
    assert mc.read(path).num_self_loops == 2


def test_duplicates_of_other_tools_add_up(path: Path) -> None:
    edges = [[0, 1], [0, 1], [1, 2], [2, 3]]
    save(path, {"graph/edges": edges, "edge-values": [1.5, -2, 3, 4]})
    assert mc.read(path) == mc.Problem([[0, 1], [1, 2], [2, 3]], [-0.5, 3, 4])


def test_complete_graph(path: Path) -> None:
    save(
        path,
        {
            "graph/graph-type-id": np.int32(10002),
            "graph/number-of-vertices": np.uint64(3),
            "edge-values": [1.0, 2.0, -3.0],
        },
    )
    assert mc.read(path) == mc.Problem([[0, 1], [0, 2], [1, 2]], [1, 2, -3])


def test_no_edges(path: Path) -> None:
    save(path, LIBRARY | {"graph/edges": None, "edge-values": np.empty(0)})
    assert mc.read(path) == mc.Problem([], [], num_nodes=5)


def test_written_datasets(path: Path) -> None:
    mc.write(PROBLEM, path, format="andres")
    with h5py.File(path) as file:
        for name, value in LIBRARY.items():
            np.testing.assert_array_equal(file[name][()], value)
            assert file[name].dtype == np.asarray(value).dtype
        assert "node-ids" not in file["graph"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edge-values": [1.0, 2.0]}, "states 4 edges but 2 edge-values"),
        ({"edge-values": [1.0, 2.0, np.nan, 1.0]}, "costs must not be nan"),
        ({"edge-values": np.ones((4, 1))}, r"dataset /edge-values must have 1 dimension\(s\)"),
        ({"edge-values": [b"1", b"2"]}, r"dataset /edge-values .* hold numbers, got"),
        ({"graph/edges": np.ones((4, 3), dtype=int)}, r"must have shape \(m, 2\), got \(4, 3\)"),
        ({"graph/edges": np.ones((4, 2))}, "dataset /graph/edges .* hold integers, got float64"),
        ({"graph/edges": -EDGES.astype(np.int64)}, "node ids must not be negative"),
        ({"graph/edges": EDGES + np.uint64(2**63)}, "must contain integers below 2.63"),
        ({"graph/number-of-vertices": np.uint64(3)}, "num_nodes=3 allows node ids below that"),
        ({"graph/number-of-vertices": np.uint64(10**15)}, "states 1000000000000000 nodes but only"),
        ({"graph/number-of-vertices": [3, 4]}, "number-of-vertices must contain one number"),
        ({"graph/graph-type-id": np.int32(10003)}, "graph-type-id is 10003; only 10000"),
        ({"graph/graph-type-id": np.int32(10002)}, "states a complete graph of 5 nodes but 4 edge"),
        ({"graph/node-ids": [1, 2]}, "states 5 nodes but names 2 of them"),
    ],
)
def test_bad_file(path: Path, changes: dict[str, Any], message: str) -> None:
    save(path, LIBRARY | changes)
    with pytest.raises(FormatError, match=message) as caught:
        mc.read(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_other_hdf5(path: Path) -> None:
    save(path, {"edge-values": [1.0]})
    with pytest.raises(FormatError, match="contains no group with the datasets 'edges' and"):
        mc.read(path, format="andres")


def test_not_hdf5(path: Path) -> None:
    path.write_text("0 1 2\n")
    with pytest.raises(FormatError, match="not an HDF5 file, or cut short"):
        mc.read(path, format="andres")
