from __future__ import annotations

import errno

import numpy as np
import pytest

import multicut as mc
from multicut.distributed import hierarchy, stages
from multicut.distributed.block_edges import read_block
from multicut.distributed.hierarchy import ContradictionError, solve_hierarchically
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.plan import Scheme
from multicut.partition import canonical, cut_of_labels, labels_of_cut
from tests.distributed.graphs import content, grid, ranges, table_of

WIDTH, HEIGHT = 12, 10


def solved(folder, edges, costs, num_blocks=4, num_nodes=None, **options):
    number = int(edges.max()) + 1 if num_nodes is None else num_nodes
    table = table_of(folder / "edges", edges, costs)
    values = {"solver": "gaec", "workspace": folder / "work"} | options
    return solve_hierarchically(table, ranges(number, num_blocks), **values)


@pytest.mark.parametrize("solver", ["gaec", "klj", "fusion"])
def test_one_block_gives_what_solving_the_whole_gives(tmp_path, solver):
    edges, costs = grid(WIDTH, HEIGHT)
    edges = np.concatenate([edges, edges[:5, ::-1], [[3, 3]]])
    costs = np.concatenate([costs, np.linspace(-1, 1, 5), [4.0]])
    found = solved(tmp_path, edges, costs, 1, solver=solver, seed=5)
    whole = mc.solve(mc.Problem(edges, costs), solver, seed=5)
    assert np.array_equal(found.labels.all(), whole.labels)
    assert found.objective == pytest.approx(whole.objective, rel=1e-12)
    assert (found.num_clusters, found.num_edges) == (whole.num_clusters, len(edges) - 6)


@pytest.mark.parametrize("scheme", [Scheme(0, None), Scheme(2, 1), Scheme(9, None)])
@pytest.mark.parametrize("num_blocks", [2, 5])
def test_labels_are_clusters_and_cost_what_is_said(tmp_path, scheme, num_blocks):
    edges, costs = grid(WIDTH, HEIGHT, seed=num_blocks)
    found = solved(tmp_path, edges, costs, num_blocks, scheme=scheme)
    problem = mc.Problem(edges, costs)
    labels = found.labels.all()
    assert np.array_equal(labels, canonical(labels))
    assert np.array_equal(labels, labels_of_cut(problem, cut_of_labels(problem, labels)))
    assert found.objective == pytest.approx(mc.objective(problem, labels), rel=1e-12)
    assert found.num_cut == cut_of_labels(problem, labels).sum()
    assert found.num_clusters == labels.max() + 1
    whole = mc.solve(problem, "gaec").objective
    if scheme.margin == 9:  # nothing is joined before the last block
        assert found.objective == pytest.approx(whole, rel=1e-12)
    assert found.objective <= 0.7 * whole


def test_a_margin_pays(tmp_path):
    edges, costs = grid(40, 40)
    found = [
        solved(tmp_path / str(margin), edges, costs, 4, solver="klj", scheme=Scheme(margin, 1))
        for margin in (0, 2)
    ]
    whole = mc.solve(mc.Problem(edges, costs), "klj").objective
    losses = [(one.objective - whole) / abs(whole) for one in found]
    assert losses[1] < 0.005 < losses[0]


def test_blocks_have_the_edges_of_the_table(tmp_path):
    edges, costs = grid(WIDTH, HEIGHT)
    edges = np.concatenate([edges, edges[40:60, ::-1], [[7, 7]]])
    costs = np.concatenate([costs, np.full(20, 0.125), [-3.0]])
    solved(tmp_path, edges, costs, 6)
    rows = []
    for block in range(6):
        inner, cross, lifted, lifted_cross = read_block(tmp_path / "work", block)
        assert len(lifted) == len(lifted_cross) == 0
        ahead = cross.where(cross.u < cross.v)
        for part in (inner, ahead):
            rows += zip(part.u.tolist(), part.v.tolist(), part.cost.tolist(), strict=True)
    problem = mc.Problem(edges, costs)
    wanted = {(min(u, v), max(u, v)): cost for u, v, cost in _rows(problem)}
    assert {(min(u, v), max(u, v)): cost for u, v, cost in rows} == pytest.approx(wanted)
    assert len(rows) == len(wanted)


def _rows(problem):
    return [(*ends, cost) for ends, cost in zip(problem.edges.tolist(), problem.costs, strict=True)]


@pytest.mark.parametrize("seed", range(4))
def test_bounds_bracket_proven_optima(tmp_path, seed):
    edges, costs = grid(7, 6, seed)
    rng = np.random.default_rng(seed)
    if seed % 2:
        costs[rng.choice(len(costs), 6, replace=False)] = -np.inf
    if seed % 3 == 2:
        costs[rng.choice(len(costs), 2, replace=False)] = np.inf
    problem = mc.Problem(edges, costs)
    optimum = mc.solve(problem, "ilp")
    assert optimum.optimal
    for num_blocks in (1, 5):
        place = tmp_path / str(num_blocks)
        found = solved(place, edges, costs, num_blocks, solver="klj", bound_rounds=6)
        assert found.lower_bound <= optimum.objective <= found.objective + 1e-9
        # Not a trivial one: that counts all repulsive edges.
        trivial = costs[np.isfinite(costs)].clip(max=0).sum()
        assert found.lower_bound > trivial
        gap = (optimum.objective - found.lower_bound) / abs(optimum.objective)
        assert gap < 0.35
        if num_blocks == 1 and np.isfinite(costs).all():
            assert gap < 0.05


def test_constraints_hold_across_blocks(tmp_path):
    edges, costs = grid(WIDTH, HEIGHT, seed=4)
    rng = np.random.default_rng(0)
    chosen = rng.choice(len(costs), 40, replace=False)
    costs[chosen[:15]] = np.inf
    costs[chosen[15:]] = -np.inf
    edges = np.concatenate([edges, [[0, WIDTH * HEIGHT - 1]]])  # from the first block to the last
    costs = np.concatenate([costs, [np.inf]])
    problem = mc.Problem(edges, costs)
    found = solved(tmp_path, edges, costs, 7, solver="klj")
    labels = found.labels.all()
    assert mc.objective(problem, labels) == pytest.approx(found.objective, rel=1e-12)
    assert labels[0] == labels[-1]
    assert np.array_equal(labels, canonical(labels))


def test_contradictions_across_blocks_are_named(tmp_path):
    edges = np.array([[0, 1], [1, 2], [2, 3], [0, 3]])
    costs = np.array([np.inf, np.inf, np.inf, -np.inf])
    with pytest.raises(ContradictionError, match="nodes 0 and 3 must not be linked"):
        solved(tmp_path, edges, costs, 3)


def test_nodes_without_edges_are_clusters(tmp_path):
    found = solved(tmp_path, np.array([[2, 9], [9, 5]]), np.array([1.0, 1.0]), 4, num_nodes=12)
    labels = found.labels.all()
    assert labels[2] == labels[9] == labels[5]
    assert found.num_clusters == 10


def test_a_grid_of_blocks(tmp_path):
    edges, costs = grid(8, 8)
    places = np.stack(np.unravel_index(np.arange(64), (8, 8)), axis=1)
    blocks = np.ravel_multi_index(tuple((places // 2).T), (4, 4))
    numbers = np.empty(64, dtype=np.int64)
    numbers[np.argsort(blocks, kind="stable")] = np.arange(64)
    table = table_of(tmp_path / "edges", numbers[edges], costs)
    node_blocks = NodeBlocks.of_grid(np.arange(0, 65, 4), (4, 4))
    found = solve_hierarchically(table, node_blocks, solver="klj", workspace=tmp_path / "work")
    problem = mc.Problem(numbers[edges], costs)
    assert mc.objective(problem, found.labels.all()) == pytest.approx(found.objective, rel=1e-12)
    assert [len(level) for level in found.levels] == [16, 4, 1]


class StoppedError(Exception):
    pass


def test_what_was_stopped_goes_on_and_gives_the_same_bytes(tmp_path):
    edges, costs = grid(WIDTH, HEIGHT)
    costs[3] = np.inf
    options = {"num_blocks": 5, "solver": "klj", "bound_rounds": 2}
    calls = []
    solved(tmp_path / "a", edges, costs, report=lambda *call: calls.append(call), **options)
    stopped = 0
    for stop in range(1, len(calls), 7):
        seen = []

        def report(*call, stop=stop, seen=seen):
            seen.append(call)
            if len(seen) == stop:
                raise StoppedError

        try:
            solved(tmp_path / "b", edges, costs, report=report, **options)
        except StoppedError:
            stopped += 1
    assert stopped >= 3
    found = solved(tmp_path / "b", edges, costs, **options)
    assert content(tmp_path / "a" / "work" / "labels") == content(
        tmp_path / "b" / "work" / "labels"
    )
    again = solved(tmp_path / "a", edges, costs, **options)
    assert (found.objective, found.lower_bound) == (again.objective, again.lower_bound)


def test_a_folder_of_another_solve_is_refused(tmp_path):
    edges, costs = grid(5, 5)
    solved(tmp_path, edges, costs, 2)
    with pytest.raises(ValueError, match="was begun with another solver 'gaec', not 'klj'"):
        solved(tmp_path, edges, costs, 2, solver="klj")
    with pytest.raises(ValueError, match="was begun with another node_blocks; continue"):
        solved(tmp_path, edges, costs, 3)


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path, monkeypatch):
    edges, costs = grid(WIDTH, HEIGHT)
    original, left = np.savez, [9]

    def full(*arguments, **arrays):
        left[0] -= 1
        if left[0] == 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        original(*arguments, **arrays)

    monkeypatch.setattr(stages.np, "savez", full)
    with pytest.raises(OSError, match="No space left on device"):
        solved(tmp_path, edges, costs, 4)
    assert not list(tmp_path.rglob("*.part"))
    found = solved(tmp_path, edges, costs, 4)
    assert found.objective < 0


def test_a_damaged_file_is_named(tmp_path):
    edges, costs = grid(5, 5)

    def damage(stage, done, total):
        if stage == hierarchy.block_edges.GATHER and done == total:
            (file,) = (tmp_path / "work" / stage).glob("00001.npz")
            file.write_bytes(file.read_bytes()[:-40])

    with pytest.raises(ValueError, match=r"00001\.npz: is damaged .* start again"):
        solved(tmp_path, edges, costs, 2, report=damage)
    (tmp_path / "work" / hierarchy.block_edges.GATHER / "00000.json").write_bytes(b"")
    with pytest.raises(ValueError, match=r"00000\.json: is damaged .* start again"):
        solved(tmp_path, edges, costs, 2)


@pytest.mark.parametrize(
    ("edges", "costs", "message"),
    [
        ([[0, 9]], [1.0], "v must be below 5, got 9"),
        ([[-1, 2]], [1.0], "u must be below 5, got -1"),
        ([[0, 1]], [np.nan], "cost must not be NaN"),
    ],
)
def test_wrong_edges_are_named(tmp_path, edges, costs, message):
    with pytest.raises(ValueError, match=message):
        solved(tmp_path, np.array(edges), np.array(costs), 1, num_nodes=5)


def test_unknown_solvers_and_options_are_named(tmp_path):
    edges, costs = grid(4, 4)
    with pytest.raises(ValueError, match="gaek"):
        solved(tmp_path, edges, costs, 2, solver="gaek")
    with pytest.raises(TypeError, match="has no option 'speed'"):
        solved(tmp_path, edges, costs, 2, options={"speed": 1})
