"""Files of every kind, as this version writes them: ``python -m tests.golden.write 0.1``.

Run it once for each release that changes a format. Files of earlier versions are never written
again: tests/golden/test_golden_files.py reads them for ever.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

import multicut as mc
from multicut.io import list_formats
from multicut.solvers.dual_greedy.policy import Policy

FOLDER = Path(__file__).parent

PLAIN = mc.Problem([[0, 1], [0, 2], [1, 2], [2, 3]], [1.5, -0.1, 1e-300, -2.0])
LINKS = mc.Problem([[0, 1], [0, 2], [1, 2]], [np.inf, -np.inf, 0.5], num_nodes=5)
NAMES = mc.Problem([[0, 1], [1, 2]], [1.5, -2.0], 3, node_ids=["a", "b c", 'd"'])
LIFTED = mc.Problem([[0, 1], [1, 2]], [1.0, -2.0], lifted_edges=[[0, 2]], lifted_costs=[0.5])
SIGNS = mc.Problem([[0, 1], [0, 2], [1, 2]], [1.0, -1.0, 1.0])
PROBLEMS = {"plain": PLAIN, "links": LINKS, "names": NAMES, "lifted": LIFTED, "signs": SIGNS}
LABELS = np.array([[0, 1, 1], [2, 1, 300]])
SEGMENTS = (".png", ".tif", ".h5", ".npy", ".npz")


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
    model = mc.load_model("lr-randommp")
    mc.models.save_model(model.network, folder / "model", {"description": "golden"})
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
