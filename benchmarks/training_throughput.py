"""Training steps per second: the paper's RandomMP setting, plain and with cycle consistency.

    python benchmarks/training_throughput.py [--device cuda] [--seconds 20] [--only graph]

Graphs are drawn from seeds and labelled by `gaec`, so that no other file is needed. Each row trains
as `multicut train` does: a batch is put together on the device, one step is taken, losses
are summed up on the device. The clock stops when the device has finished. "CUDA graph" rows replay
a recorded step, as `multicut train` does by itself on a GPU (`cuda_graph = "auto"`); a step that
cannot be recorded ends the benchmark with an error. "Fill and replay" has the batch ready. Other
rows launch steps kernel by kernel (`cuda_graph = "off"`); "bare loop" takes the same steps without
logs and checkpoints, to tell what these cost.
"""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

import multicut as mc
from multicut.nn import MulticutNetwork, NetworkConfig
from multicut.nn.losses import binary_cross_entropy, cycle_consistency
from multicut.training import DeviceDataset, train
from multicut.training.batches import Share, StoredGraphs, TrainingBatch
from multicut.training.curves import read_curve
from multicut.training.recorded.steps import RecordedSteps
from multicut.training.sampler import Passes


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    name: str
    per_second: float
    batch_size: int

    def __str__(self) -> str:
        milliseconds = 1000 * self.batch_size / self.per_second
        return f"{self.name:<44} {milliseconds:>9.2f} {self.per_second:>12,.0f}"


def labelled_graphs(count: int) -> mc.Dataset:
    """Draw RandomMP graphs and label them greedily."""
    graphs = mc.datasets.generate("randommp", count)
    return graphs.with_results(mc.solve_batch(graphs, "gaec"))


def training_rate(
    graphs: mc.Dataset,
    arguments: argparse.Namespace,
    precision: str,
    with_cycles: bool,
    cuda_graph: bool = False,
) -> Row:
    """Measure `multicut.training.train`: the best of the intervals between two logs."""
    with tempfile.TemporaryDirectory() as folder:
        train(
            train=graphs,
            network=NetworkConfig("gcn_w", width=arguments.width, depth=arguments.depth),
            alpha=0.01 if with_cycles else 0.0,
            alpha_start=0,
            alpha_ramp=0,
            max_cycle_length=8,
            instances=10**9,
            batch_size=arguments.batch_size,
            log_every=arguments.steps_per_log * arguments.batch_size,
            checkpoint_every=10**9,
            validate_every=10**9,
            precision=precision,
            cuda_graph="on" if cuda_graph else "off",
            accelerator=arguments.device,
            output=folder,
            time_limit=arguments.seconds,
        )
        rows = read_curve(Path(folder) / "training.csv")
    # The first interval holds what is done once: kernels are compiled, memory is asked for.
    rates = [float(row["instances_per_second"]) for row in rows[1:] or rows]
    if not rates:
        raise SystemExit("not one interval was finished; raise --seconds or lower --steps-per-log")
    kind = "BCE + CCL, l = 8" if with_cycles else "BCE"
    name = f"CUDA graph, {kind}" if cuda_graph else f"{kind}, {precision}"
    return Row(name, float(np.median(rates)), arguments.batch_size)


def replay_rate(graphs: mc.Dataset, arguments: argparse.Namespace, with_cycles: bool) -> Row:
    """Measure recorded steps of a batch that is ready: what the device itself needs."""
    device = torch.device(arguments.device)
    dataset = DeviceDataset(graphs.arrays(), device)
    sampler = Passes(dataset.num_graphs, arguments.batch_size, seed=0)
    max_length = 8 if with_cycles else None
    source = StoredGraphs(dataset, sampler, lambda _: max_length, Share())
    torch.manual_seed(0)
    config = NetworkConfig("gcn_w", width=arguments.width, depth=arguments.depth)
    network = MulticutNetwork(config).to(device)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3, weight_decay=5e-4, fused=True)

    def losses(batch: TrainingBatch, weight: Tensor | float) -> tuple[Tensor, tuple[str, ...]]:
        logits = network(batch.graphs)
        loss = binary_cross_entropy(logits, batch.graphs, reduction="sum") / batch.num_edges
        if batch.cycles is not None:
            total = cycle_consistency(
                torch.sigmoid(logits), batch.graphs, batch.cycles, reduction="sum"
            )
            loss = loss + weight * (total / batch.num_graphs)
        return loss, ("loss",)

    sums = torch.zeros(1, device=device)
    steps = RecordedSteps(
        losses, network, optimizer, sums, source.capacity, 8, clip=0.0, required=True
    )
    batch = next(source.batches(0))

    def fill_and_replay(_step: int) -> None:
        if steps.step(batch, 0.01) is None:
            raise SystemExit("the first batch is too large for a recorded step")

    torch.set_float32_matmul_precision("high")
    seconds = seconds_per_step(fill_and_replay, device, arguments)
    kind = "BCE + CCL, l = 8" if with_cycles else "BCE"
    name = f"CUDA graph, fill and replay, {kind}"
    return Row(name, arguments.batch_size / seconds, arguments.batch_size)


def graph_rates(graphs: mc.Dataset, arguments: argparse.Namespace) -> Iterator[Row]:
    """Measure recorded steps, in a training run and alone."""
    if arguments.device != "cuda":
        return
    for with_cycles in (False, True):
        yield training_rate(graphs, arguments, "32-true", with_cycles, cuda_graph=True)
    for with_cycles in (False, True):
        yield replay_rate(graphs, arguments, with_cycles)


def plain_rates(graphs: mc.Dataset, arguments: argparse.Namespace) -> Iterator[Row]:
    """Measure plain steps in a training run."""
    precisions = ["32-true"] + (["bf16-mixed"] if arguments.device == "cuda" else [])
    for precision in precisions:
        for with_cycles in (False, True):
            yield training_rate(graphs, arguments, precision, with_cycles)


def bare_rates(graphs: mc.Dataset, arguments: argparse.Namespace) -> Iterator[Row]:
    """Measure the same steps in a plain loop, and the making of batches alone."""
    device = torch.device(arguments.device)
    dataset = DeviceDataset(graphs.arrays(), device)
    sampler = Passes(dataset.num_graphs, arguments.batch_size, seed=0)
    torch.manual_seed(0)
    config = NetworkConfig("gcn_w", width=arguments.width, depth=arguments.depth)
    network = MulticutNetwork(config).to(device)
    optimizer = torch.optim.Adam(
        network.parameters(), lr=1e-3, weight_decay=5e-4, fused=device.type == "cuda"
    )

    def assemble(step: int) -> None:
        dataset.batch(sampler.graphs(step))

    def assemble_with_cycles(step: int) -> None:
        dataset.batch_with_cycles(sampler.graphs(step), 8)

    def forward(step: int) -> None:
        with torch.no_grad():
            network(dataset.batch(sampler.graphs(step)))

    def plain(step: int) -> None:
        batch = dataset.batch(sampler.graphs(step))
        loss = binary_cross_entropy(network(batch), batch)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    def with_cycles(step: int) -> None:
        batch, cycles = dataset.batch_with_cycles(sampler.graphs(step), 8)
        logits = network(batch)
        loss = binary_cross_entropy(logits, batch)
        loss = loss + 0.01 * cycle_consistency(torch.sigmoid(logits), batch, cycles)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()

    actions: dict[str, Callable[[int], None]] = {
        "batch assembly": assemble,
        "batch assembly with cycles": assemble_with_cycles,
        "assembly and forward": forward,
        "bare loop, BCE": plain,
        "bare loop, BCE + CCL, l = 8": with_cycles,
    }
    torch.set_float32_matmul_precision("high")
    for name, action in actions.items():
        seconds = seconds_per_step(action, device, arguments)
        yield Row(name, arguments.batch_size / seconds, arguments.batch_size)


def seconds_per_step(
    action: Callable[[int], None], device: torch.device, arguments: argparse.Namespace
) -> float:
    """Repeat a step until the time is up, and wait for the device only at the end of each round."""

    def run_round(first: int) -> float:
        synchronise(device)
        started = time.perf_counter()
        for step in range(first, first + arguments.steps_per_log):
            action(step)
        synchronise(device)
        return (time.perf_counter() - started) / arguments.steps_per_log

    run_round(0)
    rounds = [run_round(arguments.steps_per_log)]
    end = time.perf_counter() + arguments.seconds / 4
    while time.perf_counter() < end:
        rounds.append(run_round((len(rounds) + 1) * arguments.steps_per_log))
    return float(np.median(rounds))


def synchronise(device: torch.device) -> None:
    """Wait until the device has done all it was told to."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


GROUPS: dict[str, Callable[[mc.Dataset, argparse.Namespace], Iterator[Row]]] = {
    "graph": graph_rates,
    "bare": bare_rates,
    "plain": plain_rates,
}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--graphs", type=int, default=2000)
    parser.add_argument("--batch-size", type=int, default=200)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--depth", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=15.0, help="per row of a training run")
    parser.add_argument("--steps-per-log", type=int, default=50)
    parser.add_argument("--only", choices=sorted(GROUPS), help="some of the rows")
    arguments = parser.parse_args()
    logging.basicConfig(format="(%(message)s)")
    logging.getLogger("multicut").setLevel(logging.DEBUG)  # tells whether steps were recorded

    started = time.perf_counter()
    graphs = labelled_graphs(arguments.graphs)
    print(
        f"{len(graphs):,} graphs drawn and labelled in {time.perf_counter() - started:.1f} s",
        flush=True,
    )
    if arguments.only is None:
        started = time.perf_counter()
        dataset = DeviceDataset(graphs.arrays(), "cpu")
        count = sum(len(part.rows) for part in dataset.list_cycles(8))
        print(f"{count:,} chordless cycles listed in {time.perf_counter() - started:.1f} s")
    name = torch.cuda.get_device_name() if arguments.device == "cuda" else "CPU"
    print(
        f"\nGCN_W_BN {arguments.width} x {arguments.depth}, {arguments.batch_size} graphs a step, "
        f"torch {torch.__version__}, {name}"
    )
    print(f"{'':<44} {'ms / step':>9} {'instances/s':>12}", flush=True)
    for group, rates in GROUPS.items():
        if arguments.only in (None, group):
            for row in rates(graphs, arguments):
                print(row, flush=True)


if __name__ == "__main__":
    main()
