"""Time the solver ``gnn`` from costs on a device to labels there, stage by stage.

    python benchmarks/gnn_inference.py --device cuda
    python benchmarks/gnn_inference.py --device cpu --num-nodes 10000 100000 --repeats 3

The network has random weights unless ``--model`` names one; times do not depend on them. So that
components are of a realistic size with random weights, too, the last stage rounds scores that cut
the repulsive edges. Stages are timed one by one with the device idle in between; ``whole`` is a run
without these pauses. Times are the least of all repeats; ``spread`` is the largest of ``whole``
divided by the least.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import torch

import multicut as mc
from multicut.nn import (
    GraphBatch,
    Model,
    MulticutNetwork,
    NetworkConfig,
    list_architectures,
    round_scores,
)
from multicut.nn.features import node_features
from multicut.nn.symmetric_matrix import has_triton

PRECISIONS = ("float32", "tf32", "bfloat16")


def main() -> None:
    """Print one table for each number of nodes."""
    arguments = parse_arguments()
    device = torch.device(arguments.device)
    if arguments.num_threads:
        torch.set_num_threads(arguments.num_threads)
    torch.manual_seed(0)
    if arguments.model is None:
        config = NetworkConfig(arguments.architecture, depth=arguments.depth)
        model = Model(MulticutNetwork(config), {"cost_scale": 2.4}, name="random weights")
    else:
        model = mc.load_model(arguments.model)
    model = model.to(device).eval()
    place = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    kernels = "triton" if device.type == "cuda" and has_triton() else "torch"
    print(f"{place}, torch {torch.__version__}, {torch.get_num_threads()} threads, {kernels}")
    print(f"{model.name}: {model.network.config}")
    for num_nodes in arguments.num_nodes:
        problem = mc.datasets.randommp(num_nodes, seed=0)
        print(f"\n{problem.num_nodes:,} nodes, {problem.num_edges:,} edges; milliseconds")
        if arguments.gaec:
            seconds, _ = least(lambda p=problem: mc.solve(p, "gaec"), arguments.repeats, device)
            print(f"gaec for comparison: {1000 * seconds[0]:.1f}")
        edges = torch.from_numpy(problem.edges.T.copy()).to(device)
        costs = torch.tensor(problem.costs, dtype=torch.float32, device=device)
        rows = []
        for precision in arguments.precision:
            for chunk in arguments.chunk or [None]:
                row: dict[str, Any] = {"precision": precision, "chunk": chunk or "default"}
                rows.append(row)
                row |= measure(model, edges, costs, num_nodes, precision, chunk, arguments.repeats)
        print_table(rows)


def measure(
    model: Model,
    edges: torch.Tensor,
    costs: torch.Tensor,
    num_nodes: int,
    precision: str,
    chunk: int | None,
    repeats: int,
) -> dict[str, str]:
    """Time each stage, and all of them in one go."""
    device, network = costs.device, model.network
    torch.set_float32_matmul_precision("high" if precision == "tf32" else "highest")

    def fresh() -> GraphBatch:
        return model.scaled(GraphBatch.from_edges(edges, costs, num_nodes))

    def with_rows() -> GraphBatch:
        batch = fresh()
        _ = batch.adjacency
        return batch

    def whole() -> torch.Tensor:
        batch = fresh()
        nodes, edge_states = network.represent(batch)
        logits = network.classify(batch, nodes, edge_states, chunk)
        # The prediction is waited for, but what is rounded is a realistic one.
        return round_scores(batch, torch.where(logits.isnan(), logits, -costs), 0.0).labels

    with (
        torch.inference_mode(),
        torch.autocast(device.type, torch.bfloat16, enabled=precision == "bfloat16"),
    ):
        row = {}
        batch = with_rows()
        row["rows"], _ = least(with_rows, repeats, device)
        row["features"], _ = least(lambda: features_and_links(network, batch), repeats, device)
        represent, (nodes, edge_states) = least(lambda: network.represent(batch), repeats, device)
        row["layers"] = [max(0.0, t - row["features"][0]) for t in represent]
        row["classifier"], _ = least(
            lambda: network.classify(batch, nodes, edge_states, chunk), repeats, device
        )
        row["components"], _ = least(lambda: round_scores(batch, -costs, 0.0), repeats, device)
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        row["whole"], _ = least(whole, repeats, device)
    texts = {name: f"{1000 * times[0]:.1f}" for name, times in row.items()}
    texts["spread"] = f"{row['whole'][-1] / row['whole'][0]:.2f}"
    if device.type == "cuda":
        texts["peak GiB"] = f"{torch.cuda.max_memory_allocated(device) / 2**30:.1f}"
    return texts


def features_and_links(network: MulticutNetwork, batch: GraphBatch) -> object:
    """Compute what all layers share: features, coefficients and the entries of the matrix."""
    features = node_features(batch)
    if not network.convolutions:
        return features
    links = network.convolutions[0].links(batch, features, fused=True)
    for matrix in links.matrices:
        matrix.entries(torch.float32)
    return links


def least(work: Callable[[], Any], repeats: int, device: torch.device) -> tuple[list[float], Any]:
    """Run once to warm up, then repeatedly; return all times, ascending, and the result."""
    result = work()
    times = []
    for _ in range(repeats):
        wait(device)
        start = time.perf_counter()
        result = work()
        wait(device)
        times.append(time.perf_counter() - start)
    return sorted(times), result


def wait(device: torch.device) -> None:
    """Let the device finish what it has been given."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print rows under the names of their columns."""
    names = list(rows[0])
    widths = [max(len(name), *(len(str(row[name])) for row in rows)) for name in names]
    for cells in (names, *([row[name] for name in names] for row in rows)):
        print("  ".join(f"{cell!s:>{width}}" for cell, width in zip(cells, widths, strict=True)))


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--num-nodes", type=int, nargs="+", default=[1_000_000])
    parser.add_argument("--precision", choices=PRECISIONS, nargs="+", default=list(PRECISIONS))
    parser.add_argument("--chunk", type=int, nargs="+", help="edges classified at a time")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--num-threads", type=int, help="threads of torch on a cpu")
    parser.add_argument("--gaec", action="store_true", help="time the solver gaec, too")
    parser.add_argument("--model", help="name or path of a model; by default random weights")
    names = [record.name for record in list_architectures() if record.convolution is not None]
    parser.add_argument("--architecture", choices=names, default="gcn_w")
    parser.add_argument("--depth", type=int, default=20)
    return parser.parse_args()


if __name__ == "__main__":
    main()
