"""Graphs in files: what solving block by block costs, and how it behaves at size.

``quality`` compares block-wise solving with solving the whole, by block size and margin.
``size`` generates a table of edges, chunk by chunk, solves it with one and two workers, and reports
seconds for each stage, peak memory of all processes, and disk.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import multicut as mc
from multicut.benchmark.report import describe_environment
from multicut.distributed.hierarchy import solve_hierarchically
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.plan import Scheme
from multicut.distributed.tables import EdgeTable

RESULTS = Path(__file__).parent / "results"


def grid_slab(length: int, first: int, last: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Return the edges of layers of a cubic grid with normal costs, and those to the next layer."""
    layer = length * length
    nodes = np.arange(first * layer, last * layer).reshape(last - first, length, length)
    parts = [(nodes[:, :-1], nodes[:, 1:]), (nodes[:, :, :-1], nodes[:, :, 1:])]
    ahead = nodes if last < length else nodes[:-1]
    parts.append((ahead, ahead + layer))
    edges = np.concatenate([np.stack([a.ravel(), b.ravel()], axis=1) for a, b in parts])
    return edges, np.random.default_rng([seed, first]).normal(0.1, 1.0, len(edges))


def write_grid(folder: Path, length: int, layers: int = 16) -> None:
    """Write a table of the edges of a grid, one file for some layers."""
    folder.mkdir(parents=True)
    for first in range(0, length, layers):
        edges, costs = grid_slab(length, first, min(first + layers, length))
        table = pa.table({"u": edges[:, 0], "v": edges[:, 1], "cost": costs})
        pq.write_table(table, folder / f"{first:05d}.parquet", compression="none")


def provide_grid(folder: Path, length: int) -> int:
    """Write the table of a grid if it is not there; return the number of its edges."""
    if not folder.exists():
        start, part = time.perf_counter(), folder.with_name("part")
        shutil.rmtree(part, ignore_errors=True)
        write_grid(part, length)
        part.rename(folder)
        print(f"edges written in {time.perf_counter() - start:.1f} s", flush=True)
    return sum(pq.ParquetFile(file).metadata.num_rows for file in folder.iterdir())


def read_problem(folder: Path) -> mc.Problem:
    """Read a whole table into memory."""
    files = sorted(folder.iterdir())
    num_edges = sum(pq.ParquetFile(file).metadata.num_rows for file in files)
    edges, costs = np.empty((num_edges, 2), dtype=np.int64), np.empty(num_edges)
    start = 0
    for file in files:
        table = pq.read_table(file)
        rows = slice(start, start + len(table))
        edges[rows, 0], edges[rows, 1] = table["u"], table["v"]
        costs[rows] = table["cost"]
        start += len(table)
    return mc.Problem(edges, costs)


@contextmanager
def watched() -> Iterator[dict[str, int]]:
    """Follow the memory of this process and all it starts, in proportional shares and private."""
    peaks = {"proportional": 0, "anonymous": 0}
    done = threading.Event()

    def watch() -> None:
        while not done.wait(0.25):
            now = {"proportional": 0, "anonymous": 0}
            for process in descendants(os.getpid()):
                try:
                    text = Path(f"/proc/{process}/smaps_rollup").read_text(encoding="ascii")
                except OSError:
                    continue
                values = {line.split(":")[0]: line.split()[1] for line in text.splitlines()[1:]}
                now["proportional"] += 1024 * int(values.get("Pss", 0))
                now["anonymous"] += 1024 * int(values.get("Anonymous", 0))
            for key in peaks:
                peaks[key] = max(peaks[key], now[key])

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield peaks
    finally:
        done.set()
        thread.join()


def descendants(process: int) -> list[int]:
    """Return a process and all that descend from it."""
    found = [process]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            try:
                found += [int(child) for child in task.read_text().split()]
            except OSError:
                continue
    return found


def measure_size(folder: Path, arguments: argparse.Namespace, workers: int) -> dict[str, Any]:
    """Solve a table, and measure each stage."""
    seconds: dict[str, float] = {}
    last = [time.perf_counter()]

    def report(stage: str, done: int, total: int) -> None:
        now = time.perf_counter()
        seconds[stage] = seconds.get(stage, 0.0) + now - last[0]
        last[0] = now
        if done == total:
            print(f"  {stage}: {seconds[stage]:.1f} s", flush=True)

    start = time.perf_counter()
    with watched() as peaks:
        result = mc.solve_distributed(
            folder / "edges",
            output=folder / f"labels-{workers}.parquet",
            num_workers=workers,
            solver=arguments.solver,
            blocks=arguments.blocks,
            bound=arguments.bound,
            bound_rounds=arguments.rounds,
            report=report,
        )
    print(result.summary(), flush=True)
    return {
        **result.to_dict(),
        "output": None,
        "workers": workers,
        "stages": seconds,
        "wall": time.perf_counter() - start,
        "peak": peaks,
    }


def size(arguments: argparse.Namespace) -> dict[str, Any]:
    """Generate a table and solve it."""
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="distributed-graphs-"))
    try:
        num_edges = provide_grid(folder / "edges", arguments.length)
        entry: dict[str, Any] = {"num_edges": num_edges}
        for workers in arguments.workers:
            found = measure_size(folder, arguments, workers)
            entry[f"workers_{workers}"] = found | {"load": os.getloadavg()[0]}
        labels = [(folder / f"labels-{w}.parquet").read_bytes() for w in arguments.workers]
        assert all(one == labels[0] for one in labels), "labels depend on workers"
        if arguments.whole:
            problem = read_problem(folder / "edges")
            start = time.perf_counter()
            whole = mc.solve(problem, arguments.solver)
            entry["whole"] = {
                "objective": whole.objective,
                "seconds": time.perf_counter() - start,
            }
            print(entry["whole"], flush=True)
        return {"sizes": {str(arguments.length): entry}}
    finally:
        if arguments.folder is None:
            shutil.rmtree(folder)


def divided(
    points: np.ndarray, problem: mc.Problem, per_axis: int, folder: Path
) -> tuple[EdgeTable, EdgeTable | None, NodeBlocks]:
    """Write a graph as tables whose nodes are numbered by cells of a grid."""
    axes = points.shape[1]
    cells = np.minimum((points * per_axis).astype(int), per_axis - 1)
    blocks = np.ravel_multi_index(tuple(cells.T), (per_axis,) * axes)
    order = np.argsort(blocks, kind="stable")
    numbers = np.empty(len(points), dtype=np.int64)
    numbers[order] = np.arange(len(points))
    counts = np.bincount(blocks, minlength=per_axis**axes)
    tables = []
    for kind, edges, kind_costs in (
        ("edges", problem.edges, problem.costs),
        ("lifted", problem.lifted_edges, problem.lifted_costs),
    ):
        (folder / kind).mkdir(parents=True)
        tables.append(EdgeTable(folder / kind, 1))
        tables[-1].write(0, numbers[edges[:, 0]], numbers[edges[:, 1]], kind_costs)
    offsets = np.concatenate([[0], np.cumsum(counts)])
    lifted = tables[1] if problem.is_lifted else None
    return tables[0], lifted, NodeBlocks.of_grid(offsets, (per_axis,) * axes)


def graphs(quick: bool) -> Iterator[tuple[str, np.ndarray, mc.Problem]]:
    """Yield names, places of nodes, and problems."""
    length = 24 if quick else 40
    edges, costs = grid_slab(length, 0, length)
    places = np.indices((length,) * 3).reshape(3, -1).T / length
    yield f"grid {length}³", places, mc.Problem(edges, costs)
    number = 5_000 if quick else 50_000
    problem = mc.datasets.randommp(number, seed=0)
    points = mc.datasets.randommp_points(number, seed=0)
    yield f"RandomMP {number:,}", points, problem
    length = 60 if quick else 200
    options = {"min_side": length, "max_side": length, "num_objects": length**2 // 60}
    places = np.indices((length,) * 2).reshape(2, -1).T / length
    lifted = mc.datasets.generate("lifted-grid-2d", 1, seed=0, **options)[0]
    yield f"lifted grid {length}²", places, lifted


def quality(arguments: argparse.Namespace) -> dict[str, Any]:
    """Compare block-wise solving with solving the whole."""
    rows: list[dict[str, Any]] = []
    for name, points, problem in graphs(arguments.quick):
        for solver in ("gaec", "klj"):
            start = time.perf_counter()
            whole = (
                mc.solve(problem, solver, num_threads=1)
                if solver == "klj"
                else mc.solve(problem, solver)
            )
            spent = time.perf_counter() - start
            for per_axis in (2, 4) if points.shape[1] == 3 else (2, 8):
                for margin in (0, 1, 2, 3):
                    folder = Path(tempfile.mkdtemp(prefix="distributed-graphs-"))
                    table, lifted, blocks = divided(points, problem, per_axis, folder / "tables")
                    found = solve_hierarchically(
                        table,
                        blocks,
                        lifted_edges=lifted,
                        solver=solver,
                        workspace=folder / "work",
                        scheme=Scheme(margin=margin),
                    )
                    shutil.rmtree(folder)
                    rows.append(
                        {
                            "graph": name,
                            "num_edges": problem.num_edges,
                            "num_lifted_edges": problem.num_lifted_edges,
                            "solver": solver,
                            "num_blocks": blocks.num_blocks,
                            "num_levels": blocks.num_levels,
                            "margin": margin,
                            "whole": whole.objective,
                            "objective": found.objective,
                            "loss": (found.objective - whole.objective) / abs(whole.objective),
                            "largest_above": max(
                                (s["num_inner"] for level in found.levels[1:] for s in level),
                                default=0,
                            ),
                            "whole_seconds": spent,
                        }
                    )
                    print(rows[-1], flush=True)
    return {"rows": rows}


def merged(former: dict[str, Any], found: dict[str, Any]) -> dict[str, Any]:
    """Return both mappings as one, and so on within; what was found now replaces the former."""
    return former | {
        key: merged(former.get(key, {}), value) if isinstance(value, dict) else value
        for key, value in found.items()
    }


def main() -> None:
    """Measure, print and save."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    by_quality = commands.add_parser("quality")
    by_quality.add_argument("--quick", action="store_true")
    by_size = commands.add_parser("size")
    by_size.add_argument("--length", type=int, default=150, help="323 gives 10⁸ edges")
    by_size.add_argument("--solver", default="gaec")
    by_size.add_argument("--blocks", type=int, default=None)
    by_size.add_argument("--workers", type=int, nargs="*", default=[1, 2], help="none: only write")
    by_size.add_argument("--folder", type=Path, help="with the table, written there if it is not")
    by_size.add_argument("--bound", action="store_true")
    by_size.add_argument("--rounds", type=int, default=2)
    by_size.add_argument("--whole", action="store_true", help="also solve the whole in memory")
    for each in (by_quality, by_size):
        each.add_argument("--output", type=Path, default=None)
    arguments = parser.parse_args()
    found = {"quality": quality, "size": size}[arguments.command](arguments)
    if arguments.output is not None:
        output = arguments.output
        document = json.loads(output.read_bytes()) if output.exists() else {}
        command = f"python benchmarks/distributed_graphs.py {arguments.command}"
        found["environments"] = {arguments.command: describe_environment(command)}
        document = merged(document, found)
        output.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
