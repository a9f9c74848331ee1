from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

import multicut as mc
from multicut.demo import (
    Entrant,
    Example,
    Row,
    compare,
    list_entrants,
    load_networks,
    make_examples,
)
from multicut.demo.comparison import best_of


@pytest.fixture
def triangles():
    triangle = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    return Example("two triangles", (triangle, triangle), np.zeros((3, 2)))


def test_rows_add_up(triangles):
    steps = []
    rows = compare([triangles], [Entrant("gaec"), Entrant("klj")], report=steps.append)
    assert [row.solver for row in rows] == ["gaec", "klj"]
    assert [row.objective for row in rows] == [-6, -6]
    assert [row.num_clusters for row in rows] == [4, 4]
    assert all(row.seconds > 0 for row in rows)
    assert steps == ["gaec on two triangles", "klj on two triangles"]


def test_best_is_the_lowest_objective():
    problem = mc.datasets.randommp(100, seed=0)
    example = Example("graph", (problem,), mc.datasets.randommp_points(100, seed=0))
    rows = compare([example], [Entrant("gaec"), Entrant("fusion")])
    assert rows[1].objective < rows[0].objective
    assert best_of(rows, example) is rows[1]


def test_examples_have_a_point_for_each_node():
    for example in make_examples(seed=1):
        assert example.points.shape == (example.problems[0].num_nodes, 2)


def test_networks_are_among_the_entrants_and_finish_their_pass():
    entrants = {entrant.name: entrant for entrant in list_entrants()}
    minimisers = {record.name for record in mc.list_solvers() if record.minimises}
    assert set(entrants) == {*minimisers, "network"}
    networks = [entrant for entrant in entrants.values() if entrant.has_network]
    assert [entrant.name for entrant in networks] == ["gnn", "network"]
    assert all(entrant.seconds >= 60 for entrant in networks)


def test_without_torch_no_network_takes_part(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    entrants = list_entrants()
    assert not any(entrant.has_network for entrant in entrants)
    assert "learned" in [entrant.name for entrant in entrants]
    assert load_networks(entrants) == 0


def test_remarks_say_which_stage_found_a_partition():
    problems = tuple(mc.datasets.randommp(60, seed=seed) for seed in range(3))
    example = Example("graphs", problems, mc.datasets.randommp_points(60, seed=0))
    chosen = [entrant for entrant in list_entrants() if entrant.name in ("gnn", "learned", "gaec")]
    remarks = {row.solver: row.remark for row in compare([example], chosen)}
    assert remarks["gaec"] == ""
    assert remarks["gnn"].startswith("network")
    assert remarks["learned"].endswith("; no network")
    assert remarks["learned"].split()[0].strip(";") in ("fusion", "gaec", "klj")


def test_remarks_tell_of_trivial_partitions_and_limits(triangles):
    entrant = Entrant("gnn", seconds=0.0)
    result = mc.solve(triangles.problems[0], "gnn", time_limit=0)
    row = Row(triangles, entrant, (result, result))
    assert row.remark == "trivial partition; stopped"
    finished = replace(result, stopped_by="converged", details={})
    mixed = Row(triangles, entrant, (finished, result, result))
    assert mixed.remark == "trivial partition 2, gnn 1; 2 stopped"
