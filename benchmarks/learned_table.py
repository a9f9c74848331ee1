"""Quality against processor time of ``learned`` and the classical solvers, as a Markdown table.

RandomMP and IrisMP test graphs are compared with their proven optima; graphs of other generators,
and files, with the best partition that any solver found in this run. Times are processor time of
one thread, since the machine may be shared; with the network, graphs of a family are solved in one
batch. Data files are looked for in the folder that ``--data`` names.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

import multicut as mc

FILES = ("em/CREMI-C_test.npz", "modularity.npz", "signed/bitcoinotc.csv")
FUSION = {"num_threads": 1}
LEARNED = {"num_threads": 1, "device": "cpu"}
SOLVERS: dict[str, tuple[str, dict[str, Any]]] = {
    "gaec": ("gaec", {}),
    "klj": ("klj", {}),
    "fusion, 20 proposals": ("fusion", {**FUSION, "max_proposals": 20}),
    "fusion": ("fusion", FUSION),
    "fusion, patience 100": ("fusion", {**FUSION, "patience": 100}),
    "learned fast": ("learned", {**LEARNED, "effort": "fast", "use_network": True}),
    "learned balanced": ("learned", {**LEARNED, "effort": "balanced", "use_network": True}),
    "learned best": ("learned", {**LEARNED, "effort": "best", "use_network": True}),
    "learned balanced, no network": (
        "learned",
        {**LEARNED, "effort": "balanced", "use_network": False},
    ),
}


def main() -> None:
    """Print one row per family, one column per solver."""
    arguments = parse_arguments()
    torch.set_num_threads(1)
    mc.solve(mc.datasets.irismp(), "learned", use_network=True)  # imports torch, loads the model
    print(f"| instances | {' | '.join(SOLVERS)} | network alone |")
    print("|" + "---|" * (len(SOLVERS) + 2))
    for name, problems, optima in instances(arguments):
        objectives, times = [], []
        alone = None
        for solver, options in SOLVERS.values():
            start = time.process_time()
            results = mc.solve_batch(problems, solver, num_workers=1, **options)
            times.append(1000 * (time.process_time() - start) / len(problems))
            objectives.append([result.objective for result in results])
            found = [result.details.get("objectives", {}).get("network") for result in results]
            alone = found if None not in found else alone
        values = np.array([*objectives, alone])
        best = values.min(axis=0) if optima is None else optima
        ratios = np.where(best < 0, values / np.where(best < 0, best, 1), 1).mean(axis=1)
        cells = [f"{r:.5f}, {t:.1f} ms" for r, t in zip(ratios, times, strict=False)]
        print(f"| {name} | {' | '.join(cells)} | {ratios[-1]:.5f} |", flush=True)


def instances(arguments: argparse.Namespace) -> Any:
    """Yield names, problems, and optima where they are known."""
    for record in mc.datasets.list_generators():
        if record.name == "scaling":
            continue
        if record.name in ("randommp", "irismp"):
            graphs = mc.datasets.open_dataset(record.name, "test")[: arguments.num_graphs]
            yield f"{len(graphs)} {record.name}", list(graphs), np.asarray(graphs.objective)
        else:
            graphs = mc.datasets.generate(record.name, arguments.num_others, split="test")
            yield f"{len(graphs)} {record.name}", list(graphs), None
    for file in FILES if arguments.data else ():
        problems = mc.read_all(Path(arguments.data) / file)
        listed = list(problems.values()) if isinstance(problems, dict) else list(problems)
        yield file, listed, None


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-graphs", type=int, default=200, help="of RandomMP and IrisMP")
    parser.add_argument("--num-others", type=int, default=50, help="of each other family")
    parser.add_argument("--data", help="folder with em/, signed/ and modularity.npz")
    return parser.parse_args()


if __name__ == "__main__":
    main()
