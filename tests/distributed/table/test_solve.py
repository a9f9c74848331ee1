from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut import _dask
from multicut.distributed.table import division, nodes, parquet
from multicut.partition import canonical
from tests.distributed.graphs import grid, lifted_grid

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

WIDTH, HEIGHT = 14, 11
NUM_NODES = WIDTH * HEIGHT


def write(path: Path, **columns: np.ndarray) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size=37)
    return path


def write_edges(folder: Path, ids: np.ndarray, num_files: int = 2, seed: int = 0) -> mc.Problem:
    edges, costs = grid(WIDTH, HEIGHT, seed)
    named = ids[edges]
    for number, rows in enumerate(np.array_split(np.arange(len(edges)), num_files)):
        file = folder / f"{number}.parquet"
        write(file, u=named[rows, 0], v=named[rows, 1], cost=costs[rows])
    return mc.Problem(named, costs)


def ids_of(kind: str) -> np.ndarray:
    rng = np.random.default_rng(0)
    numbers = rng.choice(10**12, NUM_NODES, replace=False)
    if kind == "shuffled":
        return numbers
    return np.sort(numbers) if kind == "gaps" else np.arange(NUM_NODES) + (kind == "from 1")


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(parquet, "ROWS_AT_ONCE", 100)
    monkeypatch.setattr(nodes, "IDS_AT_ONCE", 60)
    monkeypatch.setattr(division, "EDGES_PER_BLOCK", 70)


def solve_here(edges: Path, folder: Path, **options):
    values = {"num_workers": 1, "solver": "klj"} | options
    return mc.solve_distributed(edges, output=folder / "labels.parquet", **values)


def check(result, problem):
    nodes, labels = result.read()
    assert np.array_equal(nodes, problem.node_ids)
    assert np.array_equal(labels, canonical(labels))
    assert result.objective == pytest.approx(mc.objective(problem, labels), rel=1e-12)
    assert result.num_clusters == labels.max() + 1
    assert result.num_nodes == problem.num_nodes
    if not np.isposinf(problem.costs).any():  # must-links are contracted
        assert result.num_edges == problem.num_edges
    return labels


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("kind", "division"),
    [
        ("plain", 4),
        ("from 1", 4),
        ("gaps", None),
        ("shuffled", "stream"),
        ("plain", "table"),
        ("shuffled", "table"),
        ("gaps", "coordinates"),
    ],
)
def test_all_ids_and_divisions(tmp_path, kind, division):
    ids = ids_of(kind)
    problem = write_edges(tmp_path / "edges", ids)
    options = {"blocks": division}
    y, x = np.divmod(np.arange(NUM_NODES), WIDTH)
    if division == "table":
        options = {"blocks": write(tmp_path / "blocks.parquet", node=ids, block=x // 5 * 7 - 3)}
    elif division == "coordinates":
        nodes = np.append(ids, [ids.max() + 5])  # one that has no edge
        places = {"x": np.append(x, 0) / 2, "y": np.append(y, 0)}
        file = write(tmp_path / "places.parquet", node=nodes, **places)
        options = {"coordinates": file, "blocks": 3}
    result = solve_here(tmp_path / "edges", tmp_path, **options)
    check(result, problem)
    assert result.levels[0]["num_blocks"] > 1
    assert result.levels[-1]["num_blocks"] == 1
    assert [path.name for path in tmp_path.glob("*.partial")] == []


def test_a_table_that_fits_is_solved_as_a_whole(tmp_path):
    problem = write_edges(tmp_path / "edges", ids_of("shuffled"))
    result = solve_here(tmp_path / "edges", tmp_path, bound=True, bound_rounds=20)
    whole = mc.solve(problem, "klj")
    assert np.array_equal(check(result, problem), whole.labels)
    assert result.lower_bound <= mc.solve(problem, "ilp").objective
    assert 0 < result.gap < 0.1
    assert "gap" in result.summary()
    assert result.to_dict()["objective"] == result.objective


def test_auto_does_not_depend_on_hardware(tmp_path):
    write_edges(tmp_path / "edges", ids_of("plain"))
    assert solve_here(tmp_path / "edges", tmp_path, solver="auto").solver == "klj"


def test_integers_and_single_precision_are_numbers(tmp_path):
    edges = np.array([[0, 1], [1, 2]], dtype=np.uint8)
    for number, dtype in enumerate((np.int32, np.float32)):
        costs = np.array([2, -1], dtype=dtype)
        file = write(tmp_path / f"{number}.parquet", u=edges[:, 0], v=edges[:, 1], cost=costs)
        assert solve_here(file, tmp_path).objective == -1


@pytest.mark.usefixtures("small_chunks")
def test_constraints(tmp_path):
    ids = ids_of("shuffled")
    edges, costs = grid(WIDTH, HEIGHT)
    costs[:9], costs[20:30] = np.inf, -np.inf
    named = ids[edges]
    write(tmp_path / "edges.parquet", u=named[:, 0], v=named[:, 1], cost=costs)
    check(solve_here(tmp_path / "edges.parquet", tmp_path), mc.Problem(named, costs))
    more = np.concatenate([named, named[:1]])
    costs = np.append(costs, -np.inf)
    write(tmp_path / "other.parquet", u=more[:, 0], v=more[:, 1], cost=costs)
    u, v = named[0]
    with pytest.raises(ValueError, match=f"nodes {u} and {v} must not be linked"):
        solve_here(tmp_path / "other.parquet", tmp_path)


@pytest.mark.usefixtures("small_chunks")
@pytest.mark.parametrize(
    ("kind", "division"), [("plain", 4), ("gaps", None), ("shuffled", "stream")]
)
def test_lifted_edges(tmp_path, kind, division):
    problem = lifted_grid(WIDTH, HEIGHT)
    ids = ids_of(kind)
    rows = np.concatenate([problem.edges, problem.lifted_edges])
    flags = np.arange(len(rows)) >= problem.num_edges
    costs = np.concatenate([problem.costs, problem.lifted_costs])
    order = np.random.default_rng(0).permutation(len(rows))
    columns = {"u": ids[rows[order, 0]], "v": ids[rows[order, 1]], "cost": costs[order]}
    lifted = flags[order] if kind == "plain" else flags[order].astype(np.int8)
    file = write(tmp_path / "edges.parquet", **columns, lifted=lifted)
    same = mc.Problem(
        ids[problem.edges],
        problem.costs,
        lifted_edges=ids[problem.lifted_edges],
        lifted_costs=problem.lifted_costs,
    )
    result = solve_here(file, tmp_path, blocks=division, bound=True)
    check(result, same)
    assert result.num_lifted_edges == len(problem.lifted_edges)
    assert result.lower_bound <= mc.solve(same, "fusion").objective
    assert "lifted edges" in result.summary()
    with pytest.raises(ValueError, match="gnn"):
        solve_here(file, tmp_path, blocks=division, solver="gnn")


def test_a_lifted_table_that_fits_is_solved_as_a_whole(tmp_path):
    problem = lifted_grid(WIDTH, HEIGHT, seed=2)
    rows = np.concatenate([problem.edges, problem.lifted_edges])
    flags = np.arange(len(rows)) >= problem.num_edges
    costs = np.concatenate([problem.costs, problem.lifted_costs])
    file = write(tmp_path / "e.parquet", u=rows[:, 0], v=rows[:, 1], cost=costs, lifted=flags)
    result = solve_here(file, tmp_path)
    assert np.array_equal(check(result, problem), mc.solve(problem, "klj").labels)


PLAIN = {"u": np.arange(3), "v": np.arange(1, 4), "cost": np.ones(3)}


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"cost": None}, ValueError, r"has no column 'cost', .* its columns are u, v$"),
        ({"u": np.array(["a", "b", "c"])}, TypeError, "column 'u' must hold integers, got string"),
        ({"v": np.ones(3)}, TypeError, "column 'v' must hold integers, got double"),
        ({"cost": np.array([True] * 3)}, TypeError, "column 'cost' must hold numbers, got bool"),
        ({"cost": np.array([1, np.nan, 1])}, ValueError, "must not have NaN, got one in row 1"),
        ({"cost": pa.array([1.0, None, 1.0])}, ValueError, "must not have missing values, got 1"),
        ({"u": np.array([1, 2, 2**63], np.uint64)}, ValueError, "must be below 2\\^63"),
        ({"lifted": np.ones(3)}, TypeError, "column 'lifted' must hold true and false, got double"),
        ({"lifted": np.array([0, 2, 1])}, ValueError, "1 or 0, got 2 in row 1"),
    ],
)
def test_wrong_columns_are_named(tmp_path, columns, error, message):
    values = {name: value for name, value in (PLAIN | columns).items() if value is not None}
    file = write(tmp_path / "edges.parquet", **values)
    with pytest.raises(error, match=message) as caught:
        solve_here(file, tmp_path)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_wrong_arguments_are_named(tmp_path, monkeypatch):
    file = write(tmp_path / "edges.parquet", **PLAIN)
    empty = write(tmp_path / "empty.parquet", **{name: v[:0] for name, v in PLAIN.items()})
    (tmp_path / "none").mkdir()
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(file.read_bytes()[:50])
    blocks = write(tmp_path / "blocks.parquet", node=np.arange(3), block=np.zeros(3, np.int64))
    double = write(tmp_path / "double.parquet", node=np.array([0, 1, 2, 3, 0]), block=np.arange(5))
    flags = {"lifted": np.array([1, 0, 0]), "cost": np.array([np.inf, 1, 1])}
    must = write(tmp_path / "must.parquet", **(PLAIN | flags))
    cases = [
        (tmp_path / "missing.parquet", {}, "edges: there is no file"),
        (tmp_path / "none", {}, r"there is no file \*\.parquet in"),
        ([], {}, "edges must name a Parquet file"),
        (empty, {}, "has no rows; there is nothing to solve"),
        (broken, {}, "is not a readable Parquet file"),
        (file, {"solver": "gaek"}, "gaek"),
        (file, {"blocks": 0}, "blocks must be at least 1"),
        (file, {"blocks": blocks}, "blocks: node 3 of the edge table is missing"),
        (file, {"blocks": double}, "blocks: node 0 is in several blocks"),
        (file, {"coordinates": blocks}, "has none of the columns x, y, z"),
        (file, {"output": tmp_path / "labels.csv"}, "output must end in .parquet"),
        (must, {}, "lifted edge between 0 and 1 must not cost"),
        ([file, must], {}, "has no column 'lifted'"),
        (file, {"cluster": "tcp://127.0.0.1:9", "num_workers": None}, "cannot be reached"),
        (file, {"cluster": "tcp://127.0.0.1:9", "num_workers": 2}, "num_workers is for workers"),
    ]
    monkeypatch.setattr(_dask, "_SECONDS_TO_CONNECT", 0.2)
    for number, (edges, options, message) in enumerate(cases):
        values = {"output": tmp_path / f"{number}.parquet", "num_workers": 1} | options
        with pytest.raises((ValueError, OSError), match=message):
            mc.solve_distributed(edges, **values)


def test_a_table_that_changed_is_refused(tmp_path):
    file = write(tmp_path / "edges.parquet", **PLAIN)

    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        solve_here(file, tmp_path, report=stop)
    with pytest.raises(ValueError, match="was begun with another solver 'klj', not 'gaec'"):
        solve_here(file, tmp_path, solver="gaec")
    write(file, **(PLAIN | {"cost": -np.ones(3)}))
    with pytest.raises(ValueError, match="was begun with another edges; continue"):
        solve_here(file, tmp_path)


def test_a_folder_with_other_files_is_not_used(tmp_path):
    file = write(tmp_path / "edges.parquet", **PLAIN)
    with pytest.raises(FileExistsError, match="holds other files; move these away"):
        solve_here(file, tmp_path, workspace=tmp_path)


SCRIPT = """
import sys
import multicut as mc
from multicut.distributed.table import division, nodes, parquet
parquet.ROWS_AT_ONCE, nodes.IDS_AT_ONCE, division.EDGES_PER_BLOCK = 100, 60, 70
mc.solve_distributed(sys.argv[1], output=sys.argv[2], num_workers=1, bound=True, report=print)
"""


@pytest.mark.usefixtures("small_chunks")
def test_killed_programs_go_on(tmp_path):
    """Killed at several stages, each time the next one goes on; the bytes are the same."""
    write_edges(tmp_path / "edges", ids_of("gaps"))
    output = tmp_path / "killed.parquet"
    command = [sys.executable, "-u", "-c", SCRIPT, str(tmp_path / "edges"), str(output)]
    for stage in ("gather edges 3", "solve level 1 1", "label nodes 2"):
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                if line.startswith(stage):
                    process.send_signal(signal.SIGKILL)
                    break
        assert not output.exists()
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    first = done.stdout.splitlines()[0].split()
    assert first[-2] == first[-1]  # nothing of the first stage was left to do
    solve_here(tmp_path / "edges", tmp_path, bound=True)
    assert output.read_bytes() == (tmp_path / "labels.parquet").read_bytes()


@pytest.mark.usefixtures("small_chunks")
def test_a_real_cluster_whose_worker_is_killed(tmp_path):
    """Two worker processes and a scheduler; one is killed while it works."""
    distributed = pytest.importorskip("distributed")
    problem = write_edges(tmp_path / "edges", ids_of("shuffled"))
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
    )
    killed = []

    def report(stage, done, _):
        if stage == "solve level 0" and done > 0 and not killed:
            worker = next(iter(cluster.workers.values()))
            killed.append(worker.process.pid)
            os.kill(worker.process.pid, signal.SIGKILL)

    lines = []
    with cluster:
        result = mc.solve_distributed(
            tmp_path / "edges",
            output=tmp_path / "cluster.parquet",
            cluster=cluster.scheduler_address,
            report=report,
            announce=lines.append,
        )
    assert killed
    assert lines[0].startswith("on 2 workers")
    check(result, problem)


@pytest.mark.usefixtures("small_chunks")
def test_workers_of_this_machine_give_the_same_bytes(tmp_path):
    write_edges(tmp_path / "edges", ids_of("gaps"))
    solve_here(tmp_path / "edges", tmp_path, bound=True)
    script = SCRIPT.replace("num_workers=1", "num_workers=2").replace("report=print", "")
    script = 'if __name__ == "__main__":\n' + "\n".join(f"    {x}" for x in script.splitlines())
    file = tmp_path / "script.py"
    file.write_text(script)
    output = tmp_path / "two.parquet"
    command = [sys.executable, str(file), str(tmp_path / "edges"), str(output)]
    subprocess.run(command, check=True, timeout=300)
    assert output.read_bytes() == (tmp_path / "labels.parquet").read_bytes()
