"""What ``learned`` is worth on families of graphs that its network never saw.

The families of a training configuration are divided into groups of relatives. For each group, one
network is trained on all others, and the solver with that network is measured on test graphs of the
families it was not shown, beside ``gaec``, ``klj`` and ``fusion``. Runs that are trained already
are taken as they are, so training and measuring may happen on different machines.

Ratios are to the best partition of this run, ``ilp`` with a time limit included where HiGHS is
installed. Times are processor time of one thread per graph.
"""

from __future__ import annotations

import argparse
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

import multicut as mc
from multicut.training import TrainingConfig
from multicut.training.parallel import train_side_by_side

GROUPS = (
    ("randommp",),
    ("grid-2d", "grid-3d"),
    ("erdos-renyi", "barabasi-albert", "watts-strogatz"),
    ("planted", "voronoi"),
    ("irismp", "point-cloud", "cluster-editing"),
)
# Seen by no network: complete graphs with costs of few sizes, and a network of trust.
FILES = ("modularity.npz", "signed/bitcoinotc.csv")


def main() -> None:
    """Train what is missing, then print the table."""
    arguments = parse_arguments()
    whole = TrainingConfig.from_file(arguments.config)
    runs = {group: arguments.output / "-".join(group) for group in GROUPS}
    missing = {
        group: folder
        for group, folder in runs.items()
        if not (folder / "model.safetensors").exists() or arguments.train_further
    }
    configs = [without(whole, group, folder) for group, folder in missing.items()]
    for first in range(0, len(configs), arguments.at_once):
        chosen = configs[first : first + arguments.at_once]
        for summary in train_side_by_side(chosen, time_limit=arguments.time_limit):
            validation = summary["validation"] or {}
            print(
                f"{summary['folder']}: {summary['instances']:,} instances, validation "
                f"{validation.get('objective_ratio')}",
                flush=True,
            )
    if not arguments.train_only:
        measure_all(runs, arguments)


def without(whole: TrainingConfig, group: tuple[str, ...], folder: Path) -> TrainingConfig:
    """Return the configuration without the families of a group."""
    left_out = {name: 0.0 for name in whole.train if Path(name).name in group}
    if not left_out:
        raise ValueError(f"none of {', '.join(group)} is among the training graphs")
    changes: dict[str, Any] = {"train": left_out, "output": str(folder)}
    if not isinstance(whole.validation, str):
        changes["validation"] = left_out
    return whole.updated(changes)


def measure_all(runs: dict[tuple[str, ...], Path], arguments: argparse.Namespace) -> None:
    """Print one row per family that was left out, and one per file."""
    torch.set_num_threads(1)
    print("| left out | gaec | klj | fusion | learned fast | learned balanced | network alone |")
    print("|" + "---|" * 7)
    for group, folder in runs.items():
        for family in group:
            graphs = list(mc.datasets.generate(family, arguments.num_graphs, split="test"))
            measure(f"{len(graphs)} {family}", graphs, folder / "model.safetensors")
    for file in FILES if arguments.data else ():
        found = mc.read_all(arguments.data / file)
        measure(file, list(found.values() if isinstance(found, dict) else found), "universal")


def measure(name: str, problems: list[mc.Problem], model: Path | str) -> None:
    """Print one row."""
    network = {"model": model, "use_network": True, "device": "cpu", "num_threads": 1}
    solvers: list[tuple[str, dict[str, Any]]] = [
        ("gaec", {}),
        ("klj", {}),
        ("fusion", {"num_threads": 1}),
        ("learned", {**network, "effort": "fast"}),
        ("learned", {**network, "effort": "balanced"}),
    ]
    mc.solve(problems[0], "learned", **network)  # imports torch, loads the model
    values, times, alone = [], [], []
    for solver, options in solvers:
        start = time.process_time()
        results = mc.solve_batch(problems, solver, num_workers=1, **options)
        times.append(1000 * (time.process_time() - start) / len(problems))
        values.append([result.objective for result in results])
        if solver == "learned":
            alone = [result.details["objectives"].get("network", np.nan) for result in results]
    best = np.nanmin([*values, alone], axis=0)
    if find_spec("highspy") is not None:
        exact = mc.solve_batch(problems, "ilp", time_limit=2.0, num_workers=1)
        best = np.minimum(best, [result.objective for result in exact])
    ratios = np.where(best < 0, np.array([*values, alone]) / np.where(best < 0, best, 1), 1)
    worse = int((np.array(values[3:]) > np.array(values[0]) + 1e-9 * np.abs(best)).sum())
    cells = [f"{r:.5f}, {t:.1f} ms" for r, t in zip(ratios.mean(axis=1), times, strict=False)]
    note = f" ({worse} below gaec)" if worse else ""
    print(f"| {name}{note} | {' | '.join(cells)} | {ratios[-1].mean():.5f} |", flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="such as configs/learned/universal.toml")
    parser.add_argument("--output", "-o", type=Path, default=Path("build/left_out"))
    parser.add_argument("--num-graphs", type=int, default=50, help="test graphs of each family")
    parser.add_argument("--data", type=Path, help="folder with signed/ and modularity.npz")
    parser.add_argument("--at-once", type=int, default=1, help="runs side by side")
    parser.add_argument("--time-limit", type=float, help="seconds for each training run")
    parser.add_argument("--train-only", action="store_true", help="measure another time")
    parser.add_argument("--train-further", action="store_true", help="go on with trained runs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
