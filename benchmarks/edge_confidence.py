"""How sure each edge is: what margins cost to compute, how tight they are, and how well calibrated.

Planted partitions and Voronoi region graphs of several noise levels have a known truth. The map
from margins to probabilities (``multicut.proofreading.calibration``) is fitted on the training
split and tested on the test split, beside the probabilities of a network. ``--data DIR`` adds the
bounds on the graph of ``DIR/em/CREMI-C_test.npz``. ``--figure PATH`` draws the reliability.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

import multicut as mc
from multicut.benchmark.report import describe_environment
from multicut.datasets.generate import draw_graph
from multicut.proofreading.calibration import DEFAULT, Calibration

FAMILIES = {"planted": (0.5, 1.0, 1.5), "voronoi": (0.6, 1.2, 1.8)}
NETWORK = "gcn_w_bn-randommp"


def collect(split: str, num_graphs: int, network: Any = None) -> dict[str, np.ndarray]:
    """Return margins in units of a typical cost, with frustration and truth, for all edges."""
    columns: dict[str, list[np.ndarray]] = {key: [] for key in ("margin", "frustration", "right")}
    if network is not None:
        columns |= {"network": [], "network_right": []}
    for family, noises in FAMILIES.items():
        for noise in noises:
            for index in range(num_graphs):
                graph = draw_graph(family, index, split=split, noise=noise)
                # The same graph without noise: the signs of its costs are the truth.
                truth = draw_graph(family, index, split=split, noise=0.0).costs < 0
                problem = graph.to_problem()
                result = mc.solve(problem, "fusion", num_threads=1)
                margins = mc.edge_margins(problem, result, exact_below=0)
                columns["margin"].append(margins.upper / margins.scale)
                columns["frustration"].append(np.full(len(truth), margins.frustration))
                columns["right"].append(result.cut == truth)
                if network is not None:
                    chance = np.asarray(network(problem).detach().cpu()).ravel()
                    columns["network"].append(np.maximum(chance, 1 - chance))
                    columns["network_right"].append((chance > 0.5) == truth)
    return {key: np.concatenate(parts) for key, parts in columns.items()}


def probabilities(calibration: Calibration, data: dict[str, np.ndarray]) -> np.ndarray:
    """Return the probability that each edge is treated as in the truth."""
    found = np.empty(len(data["margin"]))
    for frustration in np.unique(data["frustration"]):
        chosen = data["frustration"] == frustration
        found[chosen] = calibration.probabilities(data["margin"][chosen], 1.0, frustration)
    return found


def fit(data: dict[str, np.ndarray]) -> Calibration:
    """Return the calibration of the largest likelihood."""
    margin = np.maximum(data["margin"], 0.0)
    right = data["right"].astype(np.float64)

    def loss(values: np.ndarray) -> float:
        intercept, slope, power, least = values[0], np.exp(values[1]), values[2], np.exp(values[3])
        odds = intercept + slope * margin**power / (data["frustration"] + least)
        return float((np.logaddexp(0.0, odds) - right * odds).mean())

    start = [0.0, np.log(0.06), 0.8, np.log(0.005)]
    best = minimize(loss, start, method="Nelder-Mead", options={"maxiter": 4000}).x
    return Calibration(
        float(best[0]), float(np.exp(best[1])), float(best[2]), float(np.exp(best[3]))
    )


def scores(chances: np.ndarray, right: np.ndarray) -> dict[str, float]:
    """Return the expected calibration error over ten bins, and the Brier score."""
    parts = np.array_split(np.argsort(chances, kind="stable"), 10)
    errors = [abs(chances[part].mean() - right[part].mean()) for part in parts]
    return {
        "accuracy": float(right.mean()),
        "calibration_error": float(np.mean(errors)),
        "brier": float(((chances - right) ** 2).mean()),
    }


def measure_em(path: Path) -> dict[str, float]:
    """Return how long margins of a large graph take beside solving anew, and how tight they are."""
    problem = mc.read(path)
    start = time.process_time()
    result = mc.solve(problem, "klj", num_threads=1)
    anew = time.process_time() - start
    start = time.process_time()
    margins = mc.edge_margins(problem, result, num_threads=1)
    seconds = time.process_time() - start
    start = time.process_time()
    resolved = mc.edge_margins(problem, result, num_resolved=0, num_threads=1)
    rough = time.process_time() - start
    return {
        "edges": problem.num_edges,
        "seconds_anew": anew,
        "seconds": seconds,
        "seconds_without_local_search": rough,
        "times_faster_than_anew_per_edge": anew * problem.num_edges / seconds,
        "local_search_times_faster_per_edge": anew / ((seconds - rough) / 5_000),
        "certified_share": float((margins.lower > 0).mean()),
        "median_lower": float(np.median(margins.lower)),
        "median_upper": float(np.median(resolved.upper)),
    }


def main() -> None:
    """Fit, test, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--graphs", type=int, default=40, help="of each family and noise")
    parser.add_argument("--data", type=Path)
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    fitted = fit(collect("train", arguments.graphs))
    test = collect("test", arguments.graphs // 2, mc.load_model(NETWORK))
    chances = probabilities(DEFAULT, test)
    document: dict[str, Any] = {
        "environment": describe_environment("python -m benchmarks.edge_confidence"),
        "fitted": asdict(fitted),
        "shipped": asdict(DEFAULT),
        "test": scores(chances, test["right"]),
        "test_of_fitted": scores(probabilities(fitted, test), test["right"]),
        "network": scores(test["network"], test["network_right"]),
    }
    if arguments.data:
        document["em"] = measure_em(arguments.data / "em" / "CREMI-C_test.npz")
    print(json.dumps(document, indent=1))
    if arguments.figure:
        ax = mc.plotting.plot_reliability(
            {"margins": chances, "network": test["network"]},
            {"margins": test["right"], "network": test["network_right"]},
        )
        ax.figure.savefig(arguments.figure, dpi=120, bbox_inches="tight")
    if arguments.output:
        path = arguments.output / "edge_confidence.json"
        path.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
