"""Training on a processor: instances per second by network, precision and size of pages.

    python -m benchmarks.processor_training [--only gcn_w] [--output FILE]

Each row trains on IrisMP as `multicut train` does, with the paper's batches of 200 graphs and 12
layers of width 128, on all processors. It does so in a process of its own: torch reads only once
whether it takes memory in pages of 2 MB. The commands of the package let it do so; scripts have to
set `THP_MEM_ALLOC_ENABLE=1` themselves. The loss after the last step is kept as well, since pages
must not change it. Nothing else should run on the machine meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.report import describe_environment

# Architectures, by what the page calls their networks.
NETWORKS = {
    "gcn_w": "GCN_W_BN",
    "gin0_w": "GIN0_W_BN",
    "sgcn_w": "SGCN_W_BN",
    "gt": "GT",
    "rggcn_he": "RGGCN_HE",
    "mlp": "MLP",
}
PRECISIONS = ("32-true", "bf16-mixed")
LARGE_PAGES = "THP_MEM_ALLOC_ENABLE"
_STEPS = 8
_BATCH = 200


def measure(network: str, precision: str, large_pages: bool) -> Cell:
    """Train some steps in another process; return the median of the intervals between two logs."""
    environment = {**os.environ, LARGE_PAGES: str(int(large_pages))}
    command = [sys.executable, "-m", "benchmarks.processor_training", "--train", network, precision]
    found = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    cell: Cell = json.loads(found.stdout.splitlines()[-1])
    return {
        "network": NETWORKS[network],
        "precision": precision,
        "large_pages": large_pages,
        **cell,
    }


def train(network: str, precision: str) -> Cell:
    """Train a network in this process."""
    import resource

    from multicut.training import train as run
    from multicut.training.curves import read_curve

    shape: dict[str, Any] = {"architecture": network}
    if network != "mlp":
        shape["depth"] = 12
    with tempfile.TemporaryDirectory() as folder:
        run(
            train="irismp",
            validation=None,
            network=shape,
            alpha=0.0,
            precision=precision,
            instances=_STEPS * _BATCH,
            batch_size=_BATCH,
            log_every=_BATCH,
            accelerator="cpu",
            output=folder,
        )
        rows = read_curve(Path(folder) / "training.csv")
    # The first steps set up threads and memory.
    rates = [float(row["instances_per_second"]) for row in rows[3:]]
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "instances_per_second": statistics.median(rates),
        "last_loss": float(rows[-1]["loss"]),
        "peak_gib": usage.ru_maxrss / 2**20,
    }


def main() -> None:
    """Measure what is not measured yet, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=NETWORKS, help="one network")
    parser.add_argument(
        "--train", nargs=2, metavar=("NETWORK", "PRECISION"), help=argparse.SUPPRESS
    )
    parser.add_argument(
        "--output", type=Path, default=Path("benchmarks/results/processor_training.json")
    )
    arguments = parser.parse_args()
    if arguments.train:
        print(json.dumps(train(*arguments.train)))
        return
    store = Cache(
        arguments.output,
        lambda: describe_environment("python -m benchmarks.processor_training"),
    )
    for network in [arguments.only] if arguments.only else NETWORKS:
        for precision in PRECISIONS:
            for large_pages in (False, True):
                pages = "2 MB" if large_pages else "4 kB"
                key = f"{network}, {precision}, pages of {pages}"
                cell = store.get(key, partial(measure, network, precision, large_pages))
                print(f"{key}: {cell['instances_per_second']:,.0f} instances/s", flush=True)


if __name__ == "__main__":
    main()
