"""Scores of segmentations with several superpixels and presets: the table of docs/vision.md.

Images of the Berkeley dataset (``bsds/*.jpg`` with ``*_gt.mat``) are read from ``--data``. The
defaults of the package were chosen on the images of even index, so this measures the others.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import fmean
from typing import Any

import multicut as mc
from multicut.benchmark.report import describe_environment

# What is measured: its title in the table, and the arguments of `mc.vision.segment`.
SETTINGS: dict[str, dict[str, str]] = {
    "default": {},
    "`--superpixels slic`": {"superpixels": "slic"},
    "`--superpixels felzenszwalb`": {"superpixels": "felzenszwalb"},
    "`--preset paper`": {"preset": "paper"},
}
SCORES = ("num_segments", "variation_of_information", "adapted_rand_error", "boundary_f")


def main() -> None:
    """Score all settings and write a JSON file."""
    arguments = parse_arguments()
    paths = sorted((arguments.data / "bsds").glob("*.jpg"))[1::2]
    rows = {title: measure(paths, settings) for title, settings in SETTINGS.items()}
    for title, row in rows.items():
        print(title, row)
    report = {
        "environment": describe_environment("python benchmarks/superpixels.py --data FOLDER"),
        "images": [path.stem for path in paths],
        "rows": rows,
    }
    text = json.dumps(report, indent=1)
    arguments.output.write_text(text + "\n", encoding="utf-8")


def measure(paths: list[Path], settings: dict[str, str]) -> dict[str, float]:
    """Return the mean scores over images, each against all segmentations by humans."""
    found = []
    for path in paths:
        segmentation = mc.vision.segment(path, **settings)  # type: ignore[arg-type]
        truths = mc.vision.read_ground_truth(path.with_name(f"{path.stem}_gt.mat"))
        scores: Any = mc.vision.evaluate(segmentation.labels, truths)
        values = {name: getattr(scores, name) for name in SCORES[1:]}
        found.append({"num_segments": segmentation.num_segments} | values)
    return {name: fmean(row[name] for row in found) for name in SCORES}


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder with bsds/*.jpg")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/superpixels.json"))
    return parser.parse_args()


if __name__ == "__main__":
    main()
