"""NumPy archives."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError, write_all

PACKED: dict[str, Any] = {
    "name": np.array(["first", "second", "7"]),
    "n_nodes": np.array([3, 1, 2]),
    "edge_ptr": np.array([0, 2, 2, 3]),
    "u": np.array([0, 2, 1], dtype=np.int32),
    "v": np.array([1, 1, 0], dtype=np.int32),
    "cost": np.array([1.5, -2, 3]),
    "optimum": np.array([-2, 0, np.nan]),
}
FIRST = mc.Problem([[0, 1], [2, 1]], [1.5, -2])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "problems.npz"


def test_packed(path: Path) -> None:
    np.savez(path, **PACKED)
    problems = mc.read_all(path)
    assert list(problems) == ["first", "second", "7"]
    assert problems["first"] == FIRST
    assert problems["second"] == mc.Problem([], [], num_nodes=1)
    assert problems["7"] == mc.Problem([[1, 0]], [3])


def test_packed_without_optimum_and_compressed(path: Path) -> None:
    np.savez_compressed(path, **{key: PACKED[key] for key in PACKED if key != "optimum"})
    assert mc.read(path, instance="first") == FIRST


def test_single(path: Path) -> None:
    np.savez(path, edges=[[0, 1], [2, 1]], costs=np.array([1.5, -2], dtype=np.float32))
    assert mc.read(path) == FIRST
    assert list(mc.read_all(path)) == ["problems"]
    np.savez(path, edges=np.asfortranarray([[0, 1], [2, 1]]), costs=[1, -2], num_nodes=5)
    assert mc.read(path) == mc.Problem([[0, 1], [2, 1]], [1, -2], num_nodes=5)
    np.savez(path, edges=[[0, 1]], costs=[1], node_ids=[9, 4])
    assert mc.read(path).node_ids.tolist() == [9, 4]


def test_written_arrays(path: Path) -> None:
    mc.write(mc.Problem([[0, 1], [2, 1]], [1.5, -2], num_nodes=4), path)
    with np.load(path, allow_pickle=False) as arrays:
        assert {key: arrays[key].tolist() for key in arrays if key != "optimum"} == {
            "name": ["problems"],
            "n_nodes": [4],
            "edge_ptr": [0, 2],
            "u": [0, 2],
            "v": [1, 1],
            "cost": [1.5, -2],
        }
        assert np.isnan(arrays["optimum"]).tolist() == [True]


def test_write_all(path: Path) -> None:
    problems = {
        "a": FIRST,
        "b": mc.Problem([[0, 1]], [1.0], node_ids=[5, 2, 8]),
        "c": mc.Problem([], []),
    }
    write_all(problems, path)
    assert mc.read_all(path) == problems
    write_all(problems.values(), path)
    assert list(mc.read_all(path)) == ["0", "1", "2"]
    write_all([], path)
    assert mc.read_all(path) == {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"edge_ptr": [0, 2, 1, 3]},
            "array 'edge_ptr' must ascend from 0 to the number of edges, 3",
        ),
        ({"edge_ptr": [1, 2, 2, 3]}, "array 'edge_ptr' must ascend from 0"),
        ({"edge_ptr": [0, 2, 2, 4]}, "array 'edge_ptr' must ascend from 0"),
        ({"edge_ptr": [0, 3]}, "array 'edge_ptr' must have length 4, got 2"),
        ({"n_nodes": [3, 1]}, "array 'n_nodes' must have length 3, got 2"),
        ({"n_nodes": [3, -1, 2]}, "array 'n_nodes' must not be negative"),
        ({"n_nodes": [2, 1, 2]}, "num_nodes=2 allows node ids below that"),
        ({"n_nodes": [3, 2**40, 2]}, "states 1099511627776 nodes but only 0 edges"),
        ({"v": [1, 1]}, "array 'v' must have length 3, got 2"),
        ({"u": [0, -2, 1]}, "node ids must not be negative"),
        (
            {"u": [0.0, 2, 1]},
            r"array 'u' must have 1 dimension\(s\) and hold integers, got float64",
        ),
        ({"cost": [1.5, np.nan, 3]}, "costs must not be nan"),
        ({"cost": [[1.5], [2], [3]]}, r"array 'cost' must have 1 dimension\(s\) and hold numbers"),
        ({"name": ["a", "a", "b"]}, "several problems have the same name"),
        ({"name": [1, 2, 3]}, r"array 'name' must have 1 dimension\(s\) and hold strings"),
        ({"node_id": [1, 2]}, "array 'node_id' must have length 6, got 2"),
        ({"node_id": [1, 1, 2, 3, 4, 5]}, "gives several nodes the same name"),
    ],
)
def test_inconsistent(path: Path, changes: dict[str, Any], message: str) -> None:
    np.savez(path, **PACKED | changes)
    with pytest.raises(FormatError, match=message) as caught:
        mc.read_all(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_missing_arrays(path: Path) -> None:
    np.savez(path, u=[0], v=[1])
    with pytest.raises(
        FormatError, match=r"lacks the array\(s\) name, n_nodes, edge_ptr, cost; exp"
    ):
        mc.read(path)


def test_pickles_are_never_loaded(path: Path) -> None:
    names = np.array(["a", None, 3], dtype=object)
    np.savez(path, **PACKED | {"name": names})
    with pytest.raises(FormatError, match=r"array 'name' cannot be read .*pickled objects"):
        mc.read_all(path)


def test_huge_shape_is_compared_with_the_bytes_at_hand(path: Path) -> None:
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        header, {"descr": "<f8", "fortran_order": False, "shape": (10**13,)}
    )
    np.savez(path, **{key: PACKED[key] for key in PACKED if key != "cost"})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("cost.npy", header.getvalue())
    with pytest.raises(
        FormatError, match=r"array 'cost' cannot be read .*does not match its 0 bytes"
    ):
        mc.read(path, instance=0)


def test_not_an_archive(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(FormatError, match="not a readable npz archive"):
        mc.read(path)


def test_other_objects_as_ids(path: Path) -> None:
    problem = mc.Problem([[0, 1]], [1.0], node_ids=[(0, 1), (1, 1)])
    with pytest.raises(ValueError, match="all integers or all strings, got"):
        mc.write(problem, path)
    assert not path.exists()


def test_real_instances(shared_data: Path) -> None:
    for path in sorted(shared_data.rglob("*.npz")):
        with np.load(path, allow_pickle=False) as arrays:
            names, n_nodes, cost = arrays["name"], arrays["n_nodes"], arrays["cost"]
        problems = mc.read_all(path)
        assert list(problems) == names.tolist()
        assert [p.num_nodes for p in problems.values()] == n_nodes.tolist()
        np.testing.assert_array_equal(np.concatenate([p.costs for p in problems.values()]), cost)


def test_names_that_numpy_would_change(path: Path) -> None:
    with pytest.raises(ValueError, match="names of problems must not end in a zero character"):
        write_all({"a\0": FIRST, "b": FIRST}, path)


def test_damaged_names_of_arrays_stay_on_one_line(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a\nb.npy", b"")
    with pytest.raises(FormatError) as caught:
        mc.read(path)
    assert "\n" not in str(caught.value)


def test_damage_is_told_in_one_line(tmp_path: Path) -> None:
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + "7, " * 2000 + ")}"
    magic = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little")
    costs = io.BytesIO()
    np.save(costs, np.zeros(1))
    path = tmp_path / "damaged.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("edges.npy", magic + header.encode())
        archive.writestr("costs.npy", costs.getvalue())
    with pytest.raises(FormatError, match="array 'edges' cannot be read") as caught:
        mc.read(path)
    assert len(str(caught.value)) < 700
    assert "\n" not in str(caught.value)
