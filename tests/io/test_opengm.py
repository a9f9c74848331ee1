"""OpenGM models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError, write_all

POTTS = {"function-id-16006/indices": [3, 3, 3, 3], "function-id-16006/values": [0, 1.5, 1, -2]}
PROBLEM = mc.Problem([[0, 1], [1, 2]], [1.5, -3])


def potts_table(equal: float, different: float, labels: int = 3) -> list[float]:
    table = np.full((labels, labels), different, dtype=float)
    np.fill_diagonal(table, equal)
    return table.reshape(-1).tolist()


def potts_model(**changes: Any) -> dict[str, Any]:
    return {
        "header": [2, 0, 3, 2, 1, 16006, 2, 1],
        "numbers-of-states": [3, 3, 3],
        "factors": [0, 0, 2, 0, 1, 1, 0, 2, 1, 2],
        **POTTS,
        **{key.replace("_", "-"): value for key, value in changes.items()},
    }


def table_model(indices: list[int], values: list[float], count: int = 2) -> dict[str, Any]:
    return {
        "header": [2, 0, 3, 2, 2, 16006, 0, 16000, count, 1],
        "numbers-of-states": [3, 3, 3],
        "factors": [0, 1, 2, 0, 1, 1, 1, 2, 1, 2],
        "function-id-16000/indices": indices,
        "function-id-16000/values": values,
    }


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.h5"


def save(path: Path, *models: dict[str, Any], names: tuple[str, ...] = ("gm",)) -> None:
    with h5py.File(path, "w") as file:
        for name, model in zip(names, models, strict=True):
            for key, value in model.items():
                if value is not None:
                    kind = np.float64 if key.endswith("values") else np.uint64
                    file.create_dataset(f"{name}/{key}", data=np.array(value, dtype=kind))


def test_potts_functions(path: Path) -> None:
    save(path, potts_model())
    assert mc.read(path) == PROBLEM


def test_old_header_without_value_type_and_group_of_any_name(path: Path) -> None:
    save(path, potts_model(header=[2, 0, 3, 2, 1, 16006, 2]), names=("some/model",))
    assert mc.read(path) == PROBLEM


def test_tables(path: Path) -> None:
    indices = [2, 3, 3, 2, 3, 3]
    save(path, table_model(indices, potts_table(0, 1.5) + potts_table(1, -2)))
    assert mc.read(path) == PROBLEM


def test_shared_function_and_duplicate_factors(path: Path) -> None:
    factors = [0, 0, 2, 0, 1, 0, 0, 2, 1, 2, 1, 0, 2, 1, 2]
    save(path, potts_model(header=[2, 0, 3, 3, 1, 16006, 2, 1], factors=factors))
    assert mc.read(path) == mc.Problem([[0, 1], [1, 2]], [1.5, -1.5])


def unary_model(values: list[float]) -> dict[str, Any]:
    return potts_model(
        header=[2, 0, 3, 3, 2, 16006, 2, 16000, 1, 1],
        factors=[0, 1, 1, 2, 0, 0, 2, 0, 1, 1, 0, 2, 1, 2],
    ) | {"function-id-16000/indices": [1, 3], "function-id-16000/values": values}


def test_unary_factors(path: Path) -> None:
    save(path, unary_model([0, 0, 0]))
    assert mc.read(path) == PROBLEM
    save(path, unary_model([0, 0, 1]))
    with pytest.raises(FormatError, match="not a multicut: variable 2 has a unary factor"):
        mc.read(path)


def test_several_models(path: Path) -> None:
    save(path, potts_model(), unary_model([0, 0, 0]), names=("a", "b/c"))
    assert mc.read_all(path) == {"a": PROBLEM, "b/c": PROBLEM}
    with pytest.raises(FormatError, match=r"holds 2 problems \(a, b/c\); choose one"):
        mc.read(path)
    problems = {"x": PROBLEM, "y": mc.Problem([], [], num_nodes=2)}
    write_all(problems, path)
    assert mc.read_all(path) == problems


def test_written_model(path: Path) -> None:
    mc.write(PROBLEM, path)
    with h5py.File(path) as file:
        assert list(file) == ["gm"]
        assert file["gm/header"][()].tolist() == [2, 0, 3, 2, 1, 16006, 2, 1]
        assert file["gm/header"].dtype == np.uint64
        assert file["gm/numbers-of-states"][()].tolist() == [3, 3, 3]
        assert file["gm/factors"][()].tolist() == [0, 0, 2, 0, 1, 1, 0, 2, 1, 2]
        assert file["gm/function-id-16006/indices"][()].tolist() == [3, 3, 3, 3]
        assert file["gm/function-id-16006/values"][()].tolist() == [0, 1.5, 0, -3]
        assert "multicut-reversed" not in file["gm"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (potts_model(header=[1, 0, 3, 2, 1, 16006, 2, 1]), r"the header must begin with 2, 0"),
        (potts_model(header=[2, 0]), "and have at least 5 entries"),
        (potts_model(header=[2, 0, 3, 2, 2**62, 16006, 2, 1]), "function types but has other"),
        (potts_model(header=[2, 0, 2**62, 2, 1, 16006, 2, 1]), "variables, numbers-of-states 3"),
        (potts_model(header=[2, 0, 3, 2**62, 1, 16006, 2, 1]), "factors, dataset factors holds 2"),
        (potts_model(header=[2, 0, 3, 1, 1, 16006, 2, 1]), "1 factors, dataset factors holds more"),
        (potts_model(header=[2, 0, 3, 2, 1, 16006, 2**62, 1]), "Potts functions must have"),
        (potts_model(header=[2, 0, 3, 2, 1, 16007, 2, 1]), "has functions of type 16007; only"),
        (potts_model(header=[2, 0, 3, 2, 1, 16000, 2, 1]), "functions of type 16000, none are"),
        (potts_model(numbers_of_states=[3, 2, 3]), "3 variables need 3 labels each .*, got 2"),
        (
            potts_model(factors=[0, 0, 2, 0, 1, 1, 0, 3, 1, 2, 0]),
            "factor 1 has 3 variables; a mult",
        ),
        (potts_model(factors=[0, 0, 2, 0, 1, 1, 0, 2, 1]), "factors end within factor 1"),
        (potts_model(factors=[0, 0, 2, 0, 1, 1, 1, 2, 1, 2]), "a factor has function type 1 of 1"),
        (potts_model(factors=[0, 0, 2, 0, 1, 2, 0, 2, 1, 2]), "has no function of that dimension"),
        (potts_model(factors=[0, 0, 2, 0, 1, 1, 0, 2, 1, 3]), "num_nodes=3 allows node ids below"),
        (
            potts_model() | {"function-id-16006/values": [0, 1, 0, np.nan]},
            "must not have values of n",
        ),
        (potts_model() | {"function-id-16006/values": [0, 1, np.inf, 0]}, "forbids equal labels"),
        (potts_model(factors=None), "lacks the dataset /gm/factors"),
        (table_model([2, 3, 3, 2, 3, 3], [1.0] * 17), "their indices or values are cut short"),
        (table_model([2, 3, 3, 2, 3, 3], [1.0] * 19), "states 2 tables, but there are more"),
        (table_model([2, 3, 3], [1.0] * 9, count=2**62), "their indices or values are cut short"),
        (table_model([3, 1, 1, 1, 2, 3, 3], [1.0] * 10), "table 0 has 3 dimensions"),
        (table_model([2, 3, 3, 2, 3, 3], [*range(18)]), "not a multicut: table 0 has more values"),
    ],
)
def test_bad_model(path: Path, model: dict[str, Any], message: str) -> None:
    save(path, model)
    with pytest.raises(FormatError, match=message) as caught:
        mc.read(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_no_model(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file["stack"] = np.zeros((2, 2))
    with pytest.raises(FormatError, match="contains no group with the datasets 'header' and"):
        mc.read(path, format="opengm")
    with pytest.raises(FormatError, match="not recognised as any of: npz, opengm, andres"):
        mc.read(path)


def test_dataset_larger_than_the_file(path: Path) -> None:
    save(path, potts_model(factors=None))
    with h5py.File(path, "a") as file:
        file.create_dataset("gm/factors", shape=(10**14,), dtype=np.uint64, chunks=(1024,))
    with pytest.raises(FormatError, match=r"claims shape .*, more than the file can hold"):
        mc.read(path)


def test_cut_short(path: Path) -> None:
    mc.write(PROBLEM, path)
    path.write_bytes(path.read_bytes()[:-200])
    with pytest.raises(FormatError, match="the HDF5 file is damaged"):
        mc.read(path)


def test_order_of_models_survives(path: Path) -> None:
    problems = {name: mc.Problem([[0, 1]], [float(i)]) for i, name in enumerate(["z", "b/c", "b"])}
    write_all(problems, path)
    assert list(mc.read_all(path)) == ["z", "b/c", "b"]
    assert mc.read_all(path) == problems


@pytest.mark.parametrize(
    "name", ["", "/", "a/", "a//b", ".", "a/./b", "a\0b", "a/header", "\ud800"]
)
def test_names_that_are_no_groups(path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="format 'opengm' cannot store a problem with the name"):
        write_all({"a": PROBLEM, name: PROBLEM}, path)
    assert not path.exists()
