"""Graphs and cycles in a folder are those that would be made anew."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc
from multicut.nn.cycles import list_chordless_cycles
from multicut.training.curves import read_curve
from multicut.training.graph_store import GraphStore
from multicut.training.runner import train


def test_what_is_stored_is_what_was_made(graphs: mc.Dataset, tmp_path: Path) -> None:
    graphs.save(tmp_path / "graphs")
    store = GraphStore(tmp_path / "store")
    name = str(tmp_path / "graphs")
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
    assert store.has(name, "train")
    assert store.has(name, "train", 3)
    assert not store.has(name, "train", 4)


def test_a_run_with_a_store_is_the_run_without(
    settings: dict[str, Any], graphs: mc.Dataset, tmp_path: Path
) -> None:
    graphs.save(tmp_path / "graphs")
    names = {"train": str(tmp_path / "graphs"), "validation": str(tmp_path / "graphs")}
    train(**{**settings, **names, "output": str(tmp_path / "without")})
    store = GraphStore(tmp_path / "store")
    train(**{**settings, **names, "output": str(tmp_path / "with")}, store=store)
    without, found = (
        read_curve(tmp_path / name / "validation.csv") for name in ("without", "with")
    )
    assert found == without
