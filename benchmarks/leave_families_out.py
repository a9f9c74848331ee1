"""What ``learned`` is worth on families of graphs that its network never saw.

The families of a training configuration are divided into groups of relatives. For each group, one
network is trained on all others, and the solver with that network is measured on test graphs of the
families it was not shown, beside ``gaec``, ``klj`` and ``fusion``. Runs that are trained already
are taken as they are, so training and measuring may happen on different machines.

"network, moves" is :func:`multicut.nn.partition`: the network, greedy contraction and moves of
single nodes on its device, all graphs in one batch; "4 proposals" and "16 proposals" add as many
fusion moves there. "peer klj" is Kernighan-Lin of bioimage-cpp, where that is installed, with the
construction of its graph. Whether ``learned`` asks the network for the files is left to itself.

Ratios are to the best partition of this run, in which ``ilp`` with a time limit takes part where
HiGHS is installed, else patient ``fusion``. Times are milliseconds per graph by the clock, solvers
that are not on the device on one thread.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import torch

import multicut as mc
from multicut.benchmark.contests import CONTESTS, peer_is_installed
from multicut.benchmark.instances import EdgeArrays
from multicut.nn import GraphBatch, Model, partition
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
    """Print one row per family that was left out, and one per file; keep them if told to."""
    torch.set_num_threads(1)
    device = torch.device(arguments.device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    print(f"networks on {name}, torch {torch.__version__}; all else on one thread\n")
    rows: dict[str, dict[str, Any]] = {}
    for group, folder in runs.items():
        model = mc.load_model(folder / "model.safetensors", device)
        for family in group:
            graphs = list(mc.datasets.generate(family, arguments.num_graphs, split="test"))
            rows[family] = measure(graphs, model, {"model": model})
            show(family, rows)
    for file in FILES if arguments.data else ():
        found = mc.read_all(arguments.data / file)
        problems = list(found.values() if isinstance(found, dict) else found)
        model = mc.load_model("universal", device)
        rows[file] = measure(problems, model, {"device": arguments.device})
        show(file, rows)
    if arguments.save:
        document = {"device": name, "torch": torch.__version__, "rows": rows}
        arguments.save.write_text(json.dumps(document, indent=1) + "\n")


def measure(
    problems: Sequence[mc.Problem], model: Model, options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return mean ratios to the best partitions known, and milliseconds per graph.

    `options` are those of ``learned``.
    """
    learned = {**options, "num_threads": 1}
    work: dict[str, Callable[[], list[float]]] = {
        "gaec": lambda: solved(problems, "gaec"),
        "klj": lambda: solved(problems, "klj"),
        "fusion": lambda: solved(problems, "fusion", num_threads=1),
        "network, moves": lambda: searched(problems, model, 0),
        "4 proposals": lambda: searched(problems, model, 4),
        "16 proposals": lambda: searched(problems, model, 16),
    }
    for effort in ("fastest", "fast", "balanced"):
        work[f"learned {effort}"] = partial(solved, problems, "learned", effort=effort, **learned)
    if peer_is_installed():
        peer = CONTESTS["klj"].peer()
        prepared = [peer.prepare(EdgeArrays.of(problem)) for problem in problems]
        work["peer klj"] = lambda: [
            mc.objective(problem, peer.solve(peer.build(own)))
            for problem, own in zip(problems, prepared, strict=True)
        ]
    searched(problems[:2], model, 1)  # imports, compiles, allocates
    searched(problems, model, 1)
    objectives, milliseconds = {}, {}
    for column, find in work.items():
        start = time.perf_counter()
        objectives[column] = np.array(find())
        milliseconds[column] = 1000 * (time.perf_counter() - start) / len(problems)
    best = np.min(list(objectives.values()), axis=0)
    known = ("ilp", {"time_limit": 2.0}) if find_spec("highspy") else ("fusion", {"patience": 100})
    reference = mc.solve_batch(problems, known[0], **known[1])
    best = np.minimum(best, [result.objective for result in reference])
    return {
        "graphs": len(problems),
        "reference": known[0],
        "ratio": {
            column: float(np.where(best < 0, found / np.where(best < 0, best, 1), 1).mean())
            for column, found in objectives.items()
        },
        "milliseconds": milliseconds,
        "below_gaec": {
            column: int((found > objectives["gaec"] + 1e-9 * np.abs(best)).sum())
            for column, found in objectives.items()
        },
    }


def show(name: str, rows: dict[str, dict[str, Any]]) -> None:
    """Print a row, and the head of the table before the first."""
    row = rows[name]
    if len(rows) == 1:
        print(f"| left out | graphs | {' | '.join(row['ratio'])} |")
        print("|---|---:|" + "---:|" * len(row["ratio"]))
    cells = [
        f"{row['ratio'][column]:.4f} @ {row['milliseconds'][column]:.2f}"
        + (f" ({below} below gaec)" if below else "")
        for column, below in row["below_gaec"].items()
    ]
    print(f"| {name} | {row['graphs']} | {' | '.join(cells)} |", flush=True)


def solved(problems: Sequence[mc.Problem], solver: str, **options: Any) -> list[float]:
    """Return the objectives that a solver reaches, on one thread."""
    return [
        result.objective for result in mc.solve_batch(problems, solver, num_workers=1, **options)
    ]


def searched(problems: Sequence[mc.Problem], model: Model, proposals: int) -> list[float]:
    """Return what the network and the search on its device reach, all graphs in one batch."""
    batch = GraphBatch.from_problems(problems, device=model.device)
    labels = partition(batch, model, proposals=proposals).cpu().numpy()
    parts = np.split(labels, np.cumsum([problem.num_nodes for problem in problems])[:-1])
    return [mc.objective(problem, part) for problem, part in zip(problems, parts, strict=True)]


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="such as configs/learned/universal.toml")
    parser.add_argument("--output", "-o", type=Path, default=Path("build/left_out"))
    parser.add_argument("--num-graphs", type=int, default=200, help="test graphs of each family")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--save", type=Path, help="a JSON file for the numbers")
    parser.add_argument("--data", type=Path, help="folder with signed/ and modularity.npz")
    parser.add_argument("--at-once", type=int, default=1, help="runs side by side")
    parser.add_argument("--time-limit", type=float, help="seconds for each training run")
    parser.add_argument("--train-only", action="store_true", help="measure another time")
    parser.add_argument("--train-further", action="store_true", help="go on with trained runs")
    return parser.parse_args()


if __name__ == "__main__":
    main()
