"""Lifted edges block by block: which problem they belong to, and what is certain about results."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.distributed.hierarchy import ContradictionError, solve_hierarchically
from multicut.distributed.plan import Scheme
from multicut.partition import canonical, cut_of_labels, labels_of_cut
from tests.distributed.graphs import content, lifted_grid, ranges, table_of


def solved(folder, problem, num_blocks, **options):
    edges = table_of(folder / "edges", problem.edges, problem.costs)
    lifted = table_of(folder / "lifted", problem.lifted_edges, problem.lifted_costs, 2)
    values = {"solver": "klj", "workspace": folder / "work"} | options
    blocks = ranges(problem.num_nodes, num_blocks)
    return solve_hierarchically(edges, blocks, lifted_edges=lifted, **values)


def check(found, problem):
    labels = found.labels.all()
    assert np.array_equal(labels, canonical(labels))
    # Clusters are connected by edges that are not lifted.
    assert np.array_equal(labels, labels_of_cut(problem, cut_of_labels(problem, labels)))
    assert found.objective == pytest.approx(mc.objective(problem, labels), rel=1e-12)
    if not np.isposinf(problem.costs).any():  # must-links are contracted
        assert found.num_cut == cut_of_labels(problem, labels).sum()
    return labels


@pytest.mark.parametrize("solver", ["gaec", "klj", "fusion"])
def test_one_block_gives_what_solving_the_whole_gives(tmp_path, solver):
    problem = lifted_grid(11, 9)
    found = solved(tmp_path, problem, 1, solver=solver, seed=3)
    whole = mc.solve(problem, solver, seed=3)
    assert np.array_equal(check(found, problem), whole.labels)
    assert found.num_edges == problem.num_edges
    assert found.num_lifted_edges == len(problem.lifted_edges)


@pytest.mark.parametrize("scheme", [Scheme(0, None), Scheme(0, 0), Scheme(2, 1), Scheme(99, 1)])
@pytest.mark.parametrize(("num_blocks", "seed"), [(2, 0), (5, 1), (9, 2)])
def test_labels_are_clusters_and_cost_what_is_said(tmp_path, scheme, num_blocks, seed):
    problem = lifted_grid(15, 12, seed)
    found = solved(tmp_path, problem, num_blocks, scheme=scheme)
    check(found, problem)
    whole = mc.solve(problem, "klj").objective
    if scheme.margin == 99:  # nothing is joined before the last block
        assert found.objective == pytest.approx(whole, rel=1e-12)
    assert found.objective <= 0.7 * whole


def test_blocks_lose_little(tmp_path):
    problem = lifted_grid(40, 40)
    found = solved(tmp_path, problem, 4)
    check(found, problem)
    ordinary = mc.Problem(problem.edges, problem.costs)
    ignorant = mc.objective(problem, mc.solve(ordinary, "klj").labels)
    whole = mc.solve(problem, "klj").objective
    assert found.objective <= 0.99 * whole < 0.99 * ignorant


@pytest.mark.parametrize("seed", range(6))
def test_bounds_bracket_proven_optima(tmp_path, seed):
    problem = lifted_grid(6, 5, seed)
    costs, lifted_costs = problem.costs.copy(), problem.lifted_costs.copy()
    rng = np.random.default_rng(seed)
    if seed % 2:  # cannot-links of both kinds, so that some lie beside finite costs
        costs[rng.choice(len(costs), 5, replace=False)] = -np.inf
        lifted_costs[rng.choice(len(lifted_costs), 9, replace=False)] = -np.inf
    if seed == 4:
        costs[:1] = np.inf
    problem = mc.Problem(
        problem.edges, costs, lifted_edges=problem.lifted_edges, lifted_costs=lifted_costs
    )
    optimum = mc.solve(problem, "ilp")
    assert optimum.optimal
    both = np.concatenate([costs, lifted_costs])
    trivial = both[np.isfinite(both)].clip(max=0).sum()
    for num_blocks in (1, 4):
        found = solved(tmp_path / str(num_blocks), problem, num_blocks, bound_rounds=6)
        check(found, problem)
        assert trivial < found.lower_bound <= optimum.objective <= found.objective + 1e-9


def test_lifted_edges_of_nodes_that_only_the_outside_joins(tmp_path):
    """Nodes 0 and 1 are a block without an edge; a lifted edge joins them through node 2."""
    problem = mc.Problem(
        [[0, 2], [1, 2], [2, 3]], [-1.0, -1.0, -5.0], lifted_edges=[[0, 1]], lifted_costs=[4.0]
    )
    found = solved(tmp_path, problem, 2, solver="gaec")
    assert np.array_equal(check(found, problem), mc.solve(problem, "gaec").labels)


def test_what_was_stopped_goes_on_and_gives_the_same_bytes(tmp_path):
    problem = lifted_grid(11, 9)
    calls = []
    solved(tmp_path / "a", problem, 5, report=lambda *call: calls.append(call), bound_rounds=1)
    for stop in range(1, len(calls), 5):
        seen = []

        def report(*call, stop=stop, seen=seen):
            seen.append(call)
            if len(seen) == stop:
                raise InterruptedError

        try:
            solved(tmp_path / "b", problem, 5, report=report, bound_rounds=1)
        except InterruptedError:
            continue
    solved(tmp_path / "b", problem, 5, bound_rounds=1)
    labels = [content(tmp_path / name / "work" / "labels") for name in "ab"]
    assert labels[0] == labels[1]
    assert ("sort lifted edges by block", 2, 2) in calls


def test_constraints_that_cannot_hold_are_named(tmp_path):
    chain = [[0, 1], [1, 2], [2, 3]]
    linked = [np.inf] * 3
    edges, lifted = table_of(tmp_path / "e", np.array(chain), np.array(linked)), tmp_path / "l"
    apart = table_of(lifted, np.array([[0, 3]]), np.array([-np.inf]), 1)
    arguments = {"solver": "gaec", "workspace": tmp_path / "w"}
    with pytest.raises(ContradictionError, match="nodes 0 and 3 must not be linked"):
        solve_hierarchically(edges, ranges(4, 2), lifted_edges=apart, **arguments)
    must = table_of(tmp_path / "m", np.array([[0, 3]]), np.array([np.inf]), 1)
    arguments["workspace"] = tmp_path / "w2"
    with pytest.raises(ValueError, match="lifted edges must not cost"):
        solve_hierarchically(edges, ranges(4, 2), lifted_edges=must, **arguments)
    with pytest.raises(ValueError, match="lifted"):
        solve_hierarchically(
            edges, ranges(4, 2), lifted_edges=apart, solver="gnn", workspace=tmp_path / "w3"
        )
