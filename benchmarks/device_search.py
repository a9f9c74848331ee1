"""How good search on a device is alone, and how fast, from costs there to labels there.

``packing`` is contraction guided by a packing of short cycles, without a network. Transfers between
the host and the device are measured apart.

The graph is RandomMP's at one million nodes, seed 0. Beside it, measured on an H200 for the same
graph: RAMA P −3,083,885 in 42 ms, RAMA PD −3,092,143 in 167 ms, RAMA PD+ −3,092,224 in 300 ms.
GAEC of the best CPU peer: −3,186,965 in 4,028 ms, and 2,219 ms before that to build its graph.

A second table has many small graphs in one call of ``solve_batch``, with the classical finish: test
graphs of RandomMP, whose optima are known. A third one has them in one batch that never leaves the
device.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import torch

import multicut as mc
from multicut.nn import GraphBatch, Model, partition
from multicut.nn.search.contraction_rounds import (
    ALL_ROUNDS,
    FEW_ROUNDS,
    contraction_rounds,
)
from multicut.nn.search.packing_rounds import STRICTNESS, Rules, packing_rounds
from multicut.nn.symmetric_matrix import has_triton

Outcome = TypeVar("Outcome")


class Setting(NamedTuple):
    """How far to go.

    The probability below which edges are joined in each round of the network, none without one; its
    precision; whether nodes move in the end; how many fusion moves follow; and how strict the order
    of joins is without a network.
    """

    sure: tuple[float, ...] = ()
    precision: str = "float32"
    moves: bool = True
    proposals: int = 0
    strictness: float = STRICTNESS


WITHOUT_NETWORK = (
    Setting(moves=False, strictness=0.0),
    Setting(moves=False),
    Setting(strictness=0.3),
    Setting(),
    Setting(strictness=0.7),
    Setting(strictness=1.0),
    Setting(proposals=1),
    Setting(proposals=4),
    Setting(proposals=16),
)
EFFORTS = ("fastest", "fast", "balanced", "best")
# By what is passed as use_network.
KINDS = {None: "packing", True: "network", False: "processor"}

WITH_NETWORK = (
    Setting(FEW_ROUNDS[2], "bfloat16", moves=False),
    Setting(FEW_ROUNDS[4], "bfloat16", moves=False),
    Setting(FEW_ROUNDS[4], "bfloat16"),
    Setting(FEW_ROUNDS[8], "bfloat16"),
    Setting(ALL_ROUNDS, "bfloat16"),
    Setting(ALL_ROUNDS, "float32"),
    Setting(ALL_ROUNDS, "bfloat16", proposals=4),
    Setting(ALL_ROUNDS, "bfloat16", proposals=16),
)


def main() -> None:
    """Print all tables."""
    arguments = parse_arguments()
    device = torch.device(arguments.device)
    place = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    kernels = "triton" if device.type == "cuda" and has_triton() else "torch"
    print(f"{place}, torch {torch.__version__}, {torch.get_num_threads()} threads, {kernels}")
    problem = mc.datasets.randommp(arguments.num_nodes, seed=0)
    print(f"{problem.num_nodes:,} nodes, {problem.num_edges:,} edges; search on the device alone")
    on_host = torch.from_numpy(problem.edges.T.copy()), torch.tensor(problem.costs).float()
    (edges, costs), there = fastest(lambda: tuple(x.to(device) for x in on_host), arguments)
    _, back = fastest(lambda: edges[0, : problem.num_nodes].cpu(), arguments)
    print(f"transfers: {1000 * there:.1f} ms there, {1000 * back:.1f} ms back")
    for setting in WITHOUT_NETWORK:
        measure(None, setting, edges, costs, problem, arguments)
    for name in arguments.model:
        model = mc.load_model(name, device)
        for setting in WITH_NETWORK:
            measure(model, setting, edges, costs, problem, arguments)
    if arguments.num_graphs:
        measure_batch(arguments)
        for name in [None, *arguments.model]:
            measure_on_device(name, arguments)


def measure(
    model: Model | None,
    setting: Setting,
    edges: torch.Tensor,
    costs: torch.Tensor,
    problem: mc.Problem,
    arguments: argparse.Namespace,
) -> None:
    """Time one setting."""

    def work() -> tuple[GraphBatch, torch.Tensor]:
        batch = GraphBatch.from_edges(edges, costs, problem.num_nodes)
        return batch, partition(batch, model, **setting._asdict())

    (batch, labels), best = fastest(work, arguments)
    objective = mc.objective(problem, labels.cpu().numpy())
    print(
        f"{'packing' if model is None else model.name:>10}  {setting.precision:>8}  "
        f"strictness {setting.strictness:.1f}  "
        f"{len(setting.sure):2} rounds  {'moves' if setting.moves else '':5}  "
        f"{setting.proposals:2} proposals  {objective:14,.0f}  "
        f"{1000 * best:8.1f} ms{laps(model, setting, batch) if arguments.laps else ''}",
        flush=True,
    )


def laps(model: Model | None, setting: Setting, batch: GraphBatch) -> str:
    """Return how long each round took and how many nodes it left."""
    if model is None:
        rounds = packing_rounds(batch, Rules(strictness=setting.strictness))
        sizes: Iterator[int] = (state.num_nodes for state in rounds)
    else:
        states = contraction_rounds(
            model.network,  # type: ignore[arg-type]
            batch,
            sure=setting.sure,
            precision=setting.precision,
        )
        sizes = (state.batch.num_nodes for state in states)
    times, nodes = [], []
    wait(batch.device)
    start = time.perf_counter()
    for num_nodes in sizes:
        wait(batch.device)
        times.append(f"{1000 * (time.perf_counter() - start):.1f}")
        nodes.append(f"{num_nodes:,}")
        start = time.perf_counter()
    return f"  each {' '.join(times)} ms; nodes {' '.join(nodes)}"


def measure_batch(arguments: argparse.Namespace) -> None:
    """Solve many graphs together, by effort: as by default, by the network, and without a GPU."""
    graphs = mc.datasets.RandomMP(arguments.split)[: arguments.num_graphs]
    problems = list(graphs)
    best = np.asarray(graphs.objective)
    for effort in EFFORTS:
        for use_network in (None, False):
            options = {"effort": effort, "use_network": use_network, "device": arguments.device}
            solve = partial(mc.solve_batch, problems, "learned", **options)
            results, seconds = fastest(solve, arguments)
            ratios = np.array([result.objective for result in results]) / best
            print(
                f"{len(problems)} RandomMP graphs, {effort:>8}, "
                f"{KINDS[use_network]:>9}: "
                f"mean ratio {ratios.mean():.5f} in {seconds:.2f} s; ms per graph and stage: "
                f"{stage_times(results)}",
                flush=True,
            )


def measure_on_device(name: str | None, arguments: argparse.Namespace) -> None:
    """Partition many graphs in one batch, from arrays of the host to labels there."""
    graphs = mc.datasets.RandomMP(arguments.split)[: arguments.num_graphs]
    problems = list(graphs)
    best = np.asarray(graphs.objective)
    bounds = np.cumsum([problem.num_nodes for problem in problems])[:-1]
    model = None if name is None else mc.load_model(name, arguments.device)
    for proposals in (0, 1, 2, 4, 16):

        def work(proposals: int = proposals) -> torch.Tensor:
            batch = GraphBatch.from_problems(problems, device=arguments.device)
            return partition(batch, model, proposals=proposals).cpu()

        labels, seconds = fastest(work, arguments)
        parts = np.split(labels.numpy(), bounds)
        found = [mc.objective(*each) for each in zip(problems, parts, strict=True)]
        print(
            f"{len(problems)} RandomMP graphs on the device, {name or 'packing'}, "
            f"{proposals:2} proposals: "
            f"mean ratio {np.mean(found / best):.5f} in {1000 * seconds:.0f} ms with transfers",
            flush=True,
        )


def stage_times(results: list[mc.Result]) -> str:
    """Return how long each stage took per graph, in the mean."""
    totals: dict[str, float] = {}
    for result in results:
        for stage, seconds in result.details["seconds"].items():
            totals[stage] = totals.get(stage, 0.0) + 1000 * seconds / len(results)
    return ", ".join(f"{stage} {total:.2f}" for stage, total in totals.items())


def fastest(work: Callable[[], Outcome], arguments: argparse.Namespace) -> tuple[Outcome, float]:
    """Return what comes of some work, and the least time of some repetitions.

    The first time compiles and allocates; it does not count, but on a CPU it is the only one.
    """
    device = torch.device(arguments.device)
    on_cpu = device.type == "cpu"
    best = np.inf
    for repetition in range(1 if on_cpu else arguments.repeats + 1):
        wait(device)
        start = time.perf_counter()
        outcome = work()
        wait(device)
        if repetition > 0 or on_cpu:
            best = min(best, time.perf_counter() - start)
    return outcome, best


def wait(device: torch.device) -> None:
    """Let the device finish what it has been given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--num-nodes", type=int, default=1_000_000)
    parser.add_argument(
        "--num-graphs", type=int, default=1000, help="of the second table; may be 0"
    )
    parser.add_argument("--split", default="test", help="of the small graphs")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--laps", action="store_true", help="time each round, too")
    parser.add_argument("--model", nargs="*", default=["universal"], help="names or paths")
    return parser.parse_args()


if __name__ == "__main__":
    main()
