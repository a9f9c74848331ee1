"""Files of every kind, as this version writes them: ``python -m tests.golden.write 0.1``.

Run it once for each release that changes a format. Files of earlier versions are never written
again: tests/golden/test_golden_files.py reads them for ever.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import torch

import multicut as mc
from multicut.io import list_formats
from multicut.nn import MulticutNetwork, NetworkConfig
from multicut.solvers.dual_greedy.policy import Policy

FOLDER = Path(__file__).parent

PLAIN = mc.Problem([[0, 1], [0, 2], [1, 2], [2, 3]], [1.5, -0.1, 1e-300, -2.0])
LINKS = mc.Problem([[0, 1], [0, 2], [1, 2]], [np.inf, -np.inf, 0.5], num_nodes=5)
NAMES = mc.Problem([[0, 1], [1, 2]], [1.5, -2.0], 3, node_ids=["a", "b c", 'd"'])
LIFTED = mc.Problem([[0, 1], [1, 2]], [1.0, -2.0], lifted_edges=[[0, 2]], lifted_costs=[0.5])
SIGNS = mc.Problem([[0, 1], [0, 2], [1, 2]], [1.0, -1.0, 1.0])
PROBLEMS = {"plain": PLAIN, "links": LINKS, "names": NAMES, "lifted": LIFTED, "signs": SIGNS}
LABELS = np.array([[0, 1, 1], [2, 1, 300]])
# A logistic regression: the weights of the features of both nodes and of the cost, and the bias.
WEIGHTS = (0.10818355, 0.17653383, -0.25653416, -0.3924677, -0.34939253)
BIAS = 0.21073967
SEGMENTS = (".png", ".tif", ".h5", ".npy", ".npz")


def logistic_regression() -> MulticutNetwork:
    """Build a network with known weights."""
    network = MulticutNetwork(NetworkConfig("lr"))
    (layer,) = network.classifier_layers
    values = {"weight": torch.tensor([WEIGHTS]), "bias": torch.tensor([BIAS])}
    layer.load_state_dict(values)
    return network


def write(folder: Path) -> None:
    """Write one file of each kind into a new folder."""
    folder.mkdir()
    for record in list_formats():
        for name, problem in PROBLEMS.items():
            path = folder / f"{name}.{record.name}{record.suffixes[0]}"
            try:
                mc.write(problem, path, format=record.name)
            except ValueError:
                continue  # the format does not hold such a problem
    result = mc.solve(PLAIN, "ilp")
    for suffix in (".json", ".csv", ".npy"):
        result.save(folder / f"result{suffix}")
    dataset = mc.Dataset.from_problems([PLAIN, LIFTED], name="golden")
    dataset.with_results([mc.solve(problem, "ilp") for problem in dataset]).save(folder / "dataset")
    for suffix in SEGMENTS:
        mc.vision.write_labels(folder / f"segments{suffix}", LABELS)
    mc.save_model(logistic_regression(), folder / "model", {"description": "golden"})
    Policy(share=0.25).save(folder / "policy.json")
    proof = mc.Proofreader(PLAIN)
    proof.join(0, 1)
    proof.set_cost((1, 2), -2.0)
    proof.separate(0, 2)
    proof.save(folder / "corrections.jsonl")
    (folder / "files.json").write_text(
        json.dumps(sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*.*")), indent=1)
    )


if __name__ == "__main__":
    write(FOLDER / f"v{sys.argv[1]}")
