"""Graphs and cycles in a folder are those that would be made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multicut as mc
from multicut.nn.cycles import list_chordless_cycles
from multicut.training import graph_store, run_data
from multicut.training.curves import read_curve
from multicut.training.graph_store import GraphStore
from multicut.training.runner import train


def test_what_is_stored_is_what_was_made(
    graphs: mc.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []

    def make(name: str, split: str) -> mc.Dataset:
        made.append(f"{name}-{split}")
        return graphs

    monkeypatch.setattr(graph_store, "named_graphs", make)
    store = GraphStore(tmp_path / "store")
    name = "irismp"
    assert not store.has(name, "train")
    for _ in range(2):  # made, then read
        arrays = store.graphs(name, "train").arrays()
        np.testing.assert_array_equal(arrays.costs, graphs.arrays().costs)
        np.testing.assert_array_equal(arrays.cut, graphs.arrays().cut)
        cycles = store.cycles(name, "train", 3)
        expected = list_chordless_cycles(arrays.edges, arrays.node_offsets, arrays.edge_offsets, 3)
        assert cycles.num_cycles == expected.num_cycles > 0
        for found, wanted in zip(cycles.rows, expected.rows, strict=True):
            np.testing.assert_array_equal(found, wanted)
    assert made == ["irismp-train"]
    assert store.has(name, "train")
    assert store.has(name, "train", 3)
    assert not store.has(name, "train", 4)


def test_graphs_in_files_are_those_of_the_files_now(tmp_path: Path) -> None:
    store = GraphStore(tmp_path / "store")
    folder = tmp_path / "graphs"
    folder.mkdir()
    for count in (2, 3):
        graphs = mc.datasets.generate("irismp", count)
        graphs.save(folder / "train", overwrite=True)
        arrays = graphs.arrays()
        found = store.graphs(str(folder), "train")
        np.testing.assert_array_equal(found.arrays().costs, arrays.costs)
        expected = list_chordless_cycles(arrays.edges, arrays.node_offsets, arrays.edge_offsets, 3)
        assert store.cycles(str(folder), "train", 3).num_cycles == expected.num_cycles
        # There is nothing to make, so nobody waits for it.
        assert store.has(str(folder), "train")
        assert store.has(str(folder), "train", 3)
    assert not (tmp_path / "store").exists()


def test_a_run_with_a_store_is_the_run_without(
    settings: dict[str, Any],
    graphs: mc.Dataset,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (graph_store, run_data):
        monkeypatch.setattr(module, "named_graphs", lambda _name, _split: graphs)
    names = {"train": "irismp", "validation": "irismp"}
    train(**{**settings, **names, "output": str(tmp_path / "without")})
    store = GraphStore(tmp_path / "store")
    train(**{**settings, **names, "output": str(tmp_path / "with")}, store=store)
    without, found = (
        read_curve(tmp_path / name / "validation.csv") for name in ("without", "with")
    )
    assert found == without
    assert store.has("irismp", "train")
    assert store.has("irismp", "valid", 3)
