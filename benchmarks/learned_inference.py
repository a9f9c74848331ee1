"""What a GPU does for ``multicut``, in one table: efforts, sizes, batches, bounds, limits, memory.

Every row is from a problem in memory to a result there, transfers included, unless it says
otherwise. The graphs are RandomMP's with seed 0. Beside them stand what was asked for, and RAMA on
the same graphs and the same kind of GPU (H200)::

    python benchmarks/learned_inference.py --output results
    python benchmarks/learned_inference.py --draw results/learned_inference.json sizes.svg

On an H200 the first takes about three minutes, half of them for making graphs, for compiling and
for 10⁷ nodes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

import multicut as mc
from multicut.nn import GraphBatch, partition
from multicut.nn.search.packing_rounds import packing_rounds
from multicut.partition import canonical
from multicut.solvers.gnn.plain_problem import PlainProblem
from multicut.solvers.learned import packing_search, place

EFFORTS = ("fastest", "fast", "balanced", "best")
# By number of nodes: what was asked of each effort, as an objective and milliseconds.
ASKED = {
    "fastest": "-3,230,000 in 250 ms",
    "fast": "-3,232,000 in 400 ms",
    "balanced": "-3,234,500 in 1,500 ms",
    "best": "-3,235,062 in 5,000 ms",
}
ASKED_OF_SMALL = {1_000: "8 ms", 10_000: "15 ms"}
# Bounds, and the seconds that RAMA takes for its own.
RAMA = {
    10_000: "-33,089 in 45 ms",
    100_000: "-333,168 in 77 ms",
    1_000_000: "-3,323,260 in 167 ms",
}
RAMA_PARTITION = "RAMA P -3,083,885 in 42 ms, PD -3,092,143 in 167 ms"
LIMITS_OF_BOUNDS = (0.08, 0.17, 0.5)
LIMITS_OF_AUTO = (0.1, 0.3, 1.0, 2.0)
# A processor alone takes too long for more.
MOST_NODES_OF_PROCESSOR = 100_000
GIB = 2**30


@dataclass
class Row:
    """One line of the table."""

    what: str
    size: str
    found: str
    milliseconds: float
    asked: str = ""
    memory: str = ""
    more: dict[str, Any] = field(default_factory=dict)

    def print(self) -> None:
        """Print it."""
        print(
            f"{self.what:34} {self.size:>16} {self.found:>22} {self.milliseconds:10.1f} ms  "
            f"{self.memory:>9}  {self.asked}",
            flush=True,
        )


class Bench:
    """Measures, and keeps what was measured."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self.arguments = arguments
        self.device = torch.device(arguments.device)
        self.start = time.perf_counter()
        self.rows: list[Row] = []
        self.extra: dict[str, Any] = {}

    @property
    def is_gpu(self) -> bool:
        """Whether there is a GPU to wait for."""
        return self.device.type == "cuda"

    def wait(self) -> None:
        """Let the device finish what it has been given."""
        if self.is_gpu:
            torch.cuda.synchronize(self.device)

    def timed(self, work: Callable[[], Any], repeats: int | None = None) -> tuple[Any, float]:
        """Return the last outcome, and the least milliseconds of some repetitions.

        On a GPU there is one more before, which allocates.
        """
        best = np.inf
        for repetition in range((repeats or self.arguments.repeats) + self.is_gpu):
            self.wait()
            start = time.perf_counter()
            outcome = work()
            self.wait()
            if repetition > 0 or not self.is_gpu:
                best = min(best, time.perf_counter() - start)
        return outcome, 1e3 * best

    def memory_of(self, work: Callable[[], Any]) -> str:
        """Return how much memory of the GPU some work takes at most."""
        if not self.is_gpu:
            return ""
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats(self.device)
        work()
        return f"{torch.cuda.max_memory_allocated(self.device) / GIB:.2f} GiB"

    def add(self, row: Row) -> None:
        """Keep and print a row."""
        self.rows.append(row)
        row.print()

    def is_late(self, what: str) -> bool:
        """Whether the time for all of it is up; then something is left out, and that is said."""
        spent = time.perf_counter() - self.start
        if spent < self.arguments.seconds:
            return False
        print(f"left out after {spent:.0f} s: {what}", flush=True)
        self.extra.setdefault("left_out", []).append(what)
        return True

    def save(self) -> None:
        """Write all that was measured so far."""
        self.extra["seconds"] = round(time.perf_counter() - self.start, 1)
        folder = Path(self.arguments.output)
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**self.extra, "rows": [asdict(row) for row in self.rows]}, indent=1)
        (folder / "learned_inference.json").write_text(text + "\n", encoding="utf-8")


def main() -> None:
    """Measure everything, the most wanted first, and write it down after each part."""
    arguments = parse_arguments()
    if arguments.draw:
        draw(Path(arguments.draw[0]), Path(arguments.draw[1]))
        return
    bench = Bench(arguments)
    place._FEW_EDGES_FOR_GPU = 0  # what a GPU does with small graphs is asked for, too
    machine(bench)
    large = mc.datasets.randommp(arguments.num_nodes, seed=0)
    parts: list[tuple[str, Callable[[], None]]] = [
        ("efforts", partial(efforts, bench, large)),
        ("small", partial(small_graphs, bench)),
        ("auto", partial(limits_of_auto, bench, large)),
        ("bounds", partial(bounds, bench, large)),
        ("batches", partial(batches, bench)),
        ("tensors", partial(tensors, bench, large)),
        ("stages", partial(stage_by_stage, bench, large)),
        ("sizes", partial(sizes, bench, large)),
        ("huge", partial(huge, bench)),
    ]
    for name, part in parts:
        if (not arguments.only or name in arguments.only) and not bench.is_late(name):
            try:
                part()
            except Exception as error:  # the rest is still wanted
                print(f"{name} failed: {error!r}", flush=True)
                bench.extra.setdefault("failed", {})[name] = repr(error)
            bench.save()
    print(f"done after {time.perf_counter() - bench.start:.0f} s")


def machine(bench: Bench) -> None:
    """Compile kernels, and measure how fast bytes move."""
    device = bench.device
    place = torch.cuda.get_device_name(device) if bench.is_gpu else "cpu"
    processors = len(os.sched_getaffinity(0))
    small = mc.datasets.randommp(3_000, seed=1)
    start = time.perf_counter()
    for effort in ("fastest", "balanced"):
        mc.solve(small, "learned", device=bench.arguments.device, effort=effort)
    mc.lower_bound(small, 2.0, device=bench.arguments.device)
    warm = time.perf_counter() - start
    size = 2**28 if bench.is_gpu else 2**22
    one = torch.zeros(size, device=device)
    other = torch.empty_like(one)
    _, milliseconds = bench.timed(lambda: other.copy_(one), 5)
    bandwidth = 8e3 * size / milliseconds
    bench.extra |= {
        "device": place,
        "torch": torch.__version__,
        "processors": processors,
        "warm_up_seconds": round(warm, 2),
        "bytes_per_second": bandwidth,
    }
    print(
        f"{place}, torch {torch.__version__}, {processors} processors; warm-up {warm:.1f} s; "
        f"copies on the device move {bandwidth / 1e12:.2f} TB/s"
    )


def efforts(bench: Bench, problem: mc.Problem) -> None:
    """Solve the large problem by each effort."""
    for effort in EFFORTS:
        solve = partial(mc.solve, problem, "learned", device=bench.arguments.device, effort=effort)
        result, milliseconds = bench.timed(solve, 2 if effort == "best" else None)
        parts = {name: round(1e3 * one, 1) for name, one in result.details["seconds"].items()}
        row = Row(
            f"solve, {effort}",
            f"{problem.num_nodes:,} nodes",
            f"{result.objective:,.0f}",
            milliseconds,
            f"asked {ASKED[effort]}" + (f"; {RAMA_PARTITION}" if effort == "fastest" else ""),
            bench.memory_of(solve),
            {"stages": parts, "gaec_bound": result.details.get("gaec_bound")},
        )
        bench.add(row)
    result, milliseconds = bench.timed(partial(mc.solve, problem, "gaec"), 1)
    size = f"{problem.num_nodes:,} nodes"
    bench.add(Row("gaec, processor", size, f"{result.objective:,.0f}", milliseconds))


def small_graphs(bench: Bench) -> None:
    """Solve small graphs, where a GPU has to start many kernels for little work."""
    for num_nodes in bench.arguments.small:
        problem = mc.datasets.randommp(num_nodes, seed=0)
        for effort in ("fastest", "fast"):
            for use_network, where in ((None, "GPU"), (False, "processor")):
                solve = partial(
                    mc.solve,
                    problem,
                    "learned",
                    device=bench.arguments.device,
                    effort=effort,
                    use_network=use_network,
                )
                result, milliseconds = bench.timed(solve, 5)
                bench.add(
                    Row(
                        f"solve, {effort}, {where}",
                        f"{problem.num_edges:,} edges",
                        f"{result.objective:,.0f}",
                        milliseconds,
                        f"asked {ASKED_OF_SMALL[num_nodes]}" if num_nodes in ASKED_OF_SMALL else "",
                    )
                )


def bounds(bench: Bench, large: mc.Problem) -> None:
    """Bound optima from below, within limits."""
    others = [mc.datasets.randommp(size, seed=0) for size in (10_000, 100_000)]
    for problem in [*others, large]:
        if problem.num_nodes > large.num_nodes:
            continue
        for limit in LIMITS_OF_BOUNDS:
            work = partial(mc.lower_bound, problem, limit, device=bench.arguments.device)
            bound, milliseconds = bench.timed(work, 2)
            asked = RAMA.get(problem.num_nodes)
            bench.add(
                Row(
                    f"lower_bound, limit {limit} s",
                    f"{problem.num_nodes:,} nodes",
                    f"{bound:,.0f}",
                    milliseconds,
                    f"RAMA {asked}" if asked else "",
                    bench.memory_of(work) if limit == LIMITS_OF_BOUNDS[-1] else "",
                )
            )


def limits_of_auto(bench: Bench, problem: mc.Problem) -> None:
    """Solve under limits; the most by which they are exceeded counts."""
    for limit in LIMITS_OF_AUTO:
        over, values = [], []
        for _ in range(bench.arguments.repeats):
            start = time.perf_counter()
            result = mc.solve(problem, time_limit=limit)
            over.append(time.perf_counter() - start - limit)
            values.append(result.objective)
        bench.add(
            Row(
                f"auto, limit {limit} s",
                f"{problem.num_nodes:,} nodes",
                f"{max(values):,.0f}",
                1e3 * (limit + max(over)),
                f"over by {1e3 * max(over):.0f} ms at most; asked 50",
                more={"over": over, "objectives": values, "chosen": result.details.get("chosen")},
            )
        )


def tensors(bench: Bench, problem: mc.Problem) -> None:
    """Partition graphs whose costs are on the device, from tensors to labels there."""
    batch = GraphBatch.from_problems(problem, device=bench.device)
    for proposals in (0, 1, 4):
        work = partial(partition, batch, proposals=proposals)
        labels, milliseconds = bench.timed(work)
        bench.add(
            Row(
                f"partition of tensors, {proposals} proposals",
                f"{problem.num_nodes:,} nodes",
                f"{mc.objective(problem, labels.cpu().numpy()):,.0f}",
                milliseconds,
                "",
                bench.memory_of(work),
            )
        )


def stage_by_stage(bench: Bench, problem: mc.Problem) -> None:
    """Time the parts of ``fastest``, and compare with the bytes that each has to move at least."""
    nodes, edges = problem.num_nodes, problem.num_edges
    plain, prepare = bench.timed(lambda: PlainProblem.of(problem, True))
    arrays = ([plain.problem.edges], [plain.costs], [nodes])
    batch, there = bench.timed(lambda: GraphBatch.from_arrays(*arrays, device=bench.device))
    # About: edges become fewer as nodes do.
    shares = (state.num_nodes / max(nodes, 1) for state in packing_rounds(batch))
    sizes_of = [edges, *(int(share * edges) for share in shares)]
    _, alone = bench.timed(lambda: partition(batch, moves=False))
    labels, with_moves = bench.timed(lambda: partition(batch))
    _, trivial = bench.timed(lambda: packing_search.no_worse_than_trivial(batch, labels))
    on_host, back = bench.timed(lambda: labels.cpu().numpy())
    own, number = bench.timed(lambda: canonical(on_host))
    _, evaluate = bench.timed(lambda: mc.objective(problem, own))
    # Each round reads the ends and costs of its edges and writes those of the next one.
    rounds = 16 * sum(a + b for a, b in itertools.pairwise(sizes_of))
    parts = [
        ("costs, scaled (host)", prepare, 16 * edges),
        ("to the device", there, 20 * edges),
        (f"{len(sizes_of) - 1} packing rounds", alone, rounds),
        ("moves", with_moves - alone, 2 * 16 * edges),
        ("comparison with trivial", trivial, 2 * 16 * edges),
        ("labels back", back, 8 * nodes),
        ("labels numbered (host)", number, 16 * nodes),
        ("objective (host)", evaluate, 16 * edges + 8 * nodes),
    ]
    peak = bench.extra["bytes_per_second"]
    table = []
    for name, milliseconds, num_bytes in parts:
        rate = 1e3 * num_bytes / max(milliseconds, 1e-6)
        table.append(
            {
                "stage": name,
                "milliseconds": milliseconds,
                "bytes": num_bytes,
                "share_of_bandwidth": rate / peak,
            }
        )
        print(
            f"  {name:28} {milliseconds:9.2f} ms  {num_bytes / 1e6:9.1f} MB at least  "
            f"{rate / 1e9:9.1f} GB/s  {rate / peak:7.2%} of what copies move"
        )
    bench.extra["stages"] = table
    if bench.is_gpu:
        bench.extra["kernels"] = [
            kernels(bench, one) for one in (mc.datasets.randommp(10_000, seed=0), problem)
        ]


def kernels(bench: Bench, problem: mc.Problem) -> dict[str, Any]:
    """Profile a search from tensors: how long kernels take, and how many there are."""
    from torch.autograd import DeviceType
    from torch.profiler import ProfilerActivity, profile

    batch = GraphBatch.from_problems(problem, device=bench.device)
    _, milliseconds = bench.timed(lambda: partition(batch))
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as found:
        partition(batch)
        bench.wait()
    rows = found.key_averages()
    own = [row for row in rows if row.device_type == DeviceType.CUDA]
    busy = sum(row.self_device_time_total for row in own) / 1e3
    launches = sum(row.count for row in rows if "LaunchKernel" in row.key)
    slowest = sorted(own, key=lambda row: -row.self_device_time_total)[:8]
    print(
        f"  {problem.num_edges:,} edges: {milliseconds:.1f} ms, of which kernels {busy:.1f} ms in "
        f"{launches} launches"
    )
    return {
        "edges": problem.num_edges,
        "milliseconds": milliseconds,
        "busy": busy,
        "launches": launches,
        "slowest": {row.key[:60]: row.self_device_time_total / 1e3 for row in slowest},
    }


def batches(bench: Bench) -> None:
    """Solve many small graphs in one call, with known optima."""
    graphs = mc.datasets.RandomMP("test")[: bench.arguments.num_graphs]
    problems, best = list(graphs), np.asarray(graphs.objective)
    borders = np.cumsum([problem.num_nodes for problem in problems])[:-1]
    for proposals, asked in ((0, "asked 0.998 in 150 ms"), (2, "asked 0.9995 in 500 ms"), (4, "")):

        def work(proposals: int = proposals) -> torch.Tensor:
            batch = GraphBatch.from_problems(problems, device=bench.device)
            return partition(batch, proposals=proposals).cpu()

        labels, milliseconds = bench.timed(work)
        parts = np.split(labels.numpy(), borders)
        found = [mc.objective(*each) for each in zip(problems, parts, strict=True)]
        ratio = float(np.mean(found / best))
        size = f"{len(problems)} graphs"
        bench.add(Row(f"batch, {proposals} proposals", size, f"{ratio:.5f}", milliseconds, asked))
    for effort in ("fastest", "fast"):
        solve = partial(
            mc.solve_batch, problems, "learned", device=bench.arguments.device, effort=effort
        )
        results, milliseconds = bench.timed(solve)
        ratio = float(np.mean([one.objective for one in results] / best))
        size = f"{len(problems)} graphs"
        bench.add(Row(f"solve_batch, {effort}", size, f"{ratio:.5f}", milliseconds))


def sizes(bench: Bench, large: mc.Problem) -> None:
    """Time single graphs of growing size, on the device, from a problem, and on the processor."""
    points = bench.extra.setdefault("sizes", [])
    for num_nodes in bench.arguments.sizes:
        if bench.is_late(f"{num_nodes} nodes"):
            continue
        problem = large
        if num_nodes != large.num_nodes:
            problem = mc.datasets.randommp(num_nodes, seed=0)
        points.append(point(bench, problem))
        bench.save()


def point(bench: Bench, problem: mc.Problem) -> dict[str, Any]:
    """Time one graph in the three ways, and bound it."""
    device = bench.arguments.device
    batch = GraphBatch.from_problems(problem, device=bench.device)
    labels, on_device = bench.timed(lambda: partition(batch))
    memory = bench.memory_of(lambda: partition(batch))
    solve = partial(mc.solve, problem, "learned", effort="fastest")
    result, from_problem = bench.timed(partial(solve, device=device), 2)
    found = {
        "nodes": problem.num_nodes,
        "edges": problem.num_edges,
        "objective": mc.objective(problem, labels.cpu().numpy()),
        "tensors": on_device,
        "problem": from_problem,
        "memory": memory,
    }
    if problem.num_nodes <= MOST_NODES_OF_PROCESSOR:
        _, found["processor"] = bench.timed(partial(solve, use_network=False), 2)
    size = f"{problem.num_nodes:,} nodes"
    text = f"{found['objective']:,.0f}"
    bench.add(Row("partition of tensors", size, text, on_device, memory=memory))
    bench.add(Row("solve, fastest", size, f"{result.objective:,.0f}", from_problem))
    return found


def huge(bench: Bench) -> None:
    """Partition and bound a graph that takes a large part of the memory."""
    num_nodes = bench.arguments.huge
    if not num_nodes or bench.is_late(f"{num_nodes} nodes"):
        return
    start = time.perf_counter()
    problem = mc.datasets.randommp(num_nodes, seed=0)
    print(f"{num_nodes:,} nodes: made in {time.perf_counter() - start:.0f} s", flush=True)
    points = bench.extra.setdefault("sizes", [])
    points.append(point(bench, problem))
    bench.save()
    bound, milliseconds = bench.timed(
        lambda: mc.lower_bound(problem, 3.0, device=bench.arguments.device), 1
    )
    size = f"{num_nodes:,} nodes"
    bench.add(Row("lower_bound, limit 3 s", size, f"{bound:,.0f}", milliseconds))


@contextmanager
def _figure(path: Path) -> Iterator[Any]:
    """Give axes, and save them."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2))
    yield axes
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


def draw(source: Path, target: Path) -> None:
    """Draw time against size from a file that this script has written."""
    found = json.loads(source.read_text(encoding="utf-8"))
    points = sorted(found["sizes"], key=lambda one: one["nodes"])
    lines = {
        "tensors": "from tensors to labels",
        "problem": "from a problem to its result",
        "processor": "processor alone",
    }
    with _figure(target) as axes:
        for key, name in lines.items():
            some = [(one["nodes"], one[key]) for one in points if key in one]
            axes.loglog(*zip(*some, strict=True), marker="o", label=name)
        axes.set_xlabel("nodes (RandomMP, 3.8 edges for each)")
        axes.set_ylabel("milliseconds")
        axes.set_title(f"learned, fastest: {found['device']}, {found['processors']} processors")
        axes.grid(which="both", alpha=0.25)
        axes.legend()


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--output", default="benchmarks/results/learned", help="a folder")
    parser.add_argument("--num-nodes", type=int, default=1_000_000, help="of the large graph")
    parser.add_argument("--small", type=int, nargs="*", default=[1_000, 10_000])
    parser.add_argument(
        "--sizes",
        type=int,
        nargs="*",
        default=[1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000],
        help="numbers of nodes of the plot",
    )
    parser.add_argument("--huge", type=int, default=10_000_000, help="nodes; 0 for none")
    parser.add_argument("--only", nargs="*", help="names of parts; by default all")
    parser.add_argument("--num-graphs", type=int, default=1000, help="of the batch")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=170.0, help="begin no part after that")
    parser.add_argument("--draw", nargs=2, metavar=("JSON", "PICTURE"), help="only draw")
    return parser.parse_args()


if __name__ == "__main__":
    main()
