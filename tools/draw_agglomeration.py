"""Draws the picture of docs/agglomeration.md, and prints its table: ``make agglomeration``."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")

import numpy as np
from scipy.ndimage import gaussian_filter
from scipy.spatial import cKDTree

import multicut as mc

DPI = 80
SIDE = 160
NUM_CELLS = 45
OFFSETS = ((-1, 0), (0, -1), (-6, 0), (0, -6), (-6, -6), (6, -6))
STRIDES = (2, 2)


def main(folder: Path) -> None:
    """Draw the picture into a folder."""
    truth, affinities = cells(seed=3)
    segments = segmentations(affinities)
    for name, labels in segments.items():
        scores = mc.vision.evaluate(labels, truth)
        print(
            f"| {name} | {labels.max() + 1} | {scores.vi_split:.2f} | {scores.vi_merge:.2f} | "
            f"{scores.adapted_rand_error:.3f} |"
        )
    draw(affinities, truth, segments, folder / "agglomeration.png")


def cells(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a tissue of cells and noisy affinities, with gaps in its boundaries."""
    rng = np.random.default_rng(seed)
    pixels = np.stack(np.mgrid[:SIDE, :SIDE], axis=-1).reshape(-1, 2)
    bends = [gaussian_filter(rng.normal(0, 25, (SIDE, SIDE)), 3).ravel() for _ in range(2)]
    centres = cKDTree(rng.uniform(0, SIDE, (NUM_CELLS, 2)))
    truth = centres.query(pixels + np.stack(bends, axis=1))[1].reshape(SIDE, SIDE)
    faint = smooth(rng, 4) > 1  # where neighbours look as if they belonged together
    affinities = []
    for offset in OFFSETS:
        is_near = sum(map(abs, offset)) == 1
        same = truth == np.roll(truth, [-step for step in offset], (0, 1))
        noise = smooth(rng, 0.6) * (0.9 if is_near else 1.1)
        log_odds = np.where(same | (faint & is_near), 1.8, -1.8) + noise
        affinities.append(1 / (1 + np.exp(-log_odds)))
    return truth, np.stack(affinities).astype(np.float32)


def smooth(rng: np.random.Generator, width: float) -> np.ndarray:
    """Return noise of variance 1 that is alike in pixels that are near, as that of a network is."""
    noise = gaussian_filter(rng.normal(size=(SIDE, SIDE)), width)
    return noise / noise.std()


def segmentations(affinities: np.ndarray) -> dict[str, np.ndarray]:
    """Segment by the three models; the first one sees neighbouring pixels only."""
    near = mc.vision.affinity_problem(affinities[:2], OFFSETS[:2])
    lifted = mc.vision.affinity_problem(affinities, OFFSETS, STRIDES)
    return {
        "multicut": near.segments(mc.solve(near.problem, "klj")),
        "lifted multicut": lifted.segments(mc.solve(lifted.problem, "klj")),
        "mutex watershed": mc.vision.mutex_watershed(affinities, OFFSETS, STRIDES),
    }


def draw(
    affinities: np.ndarray, truth: np.ndarray, segments: dict[str, np.ndarray], path: Path
) -> None:
    """Draw the evidence of neighbours, and the segments of each model."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 4, figsize=(12, 3.4), layout="constrained")
    axes[0].imshow(affinities[:2].min(axis=0), cmap="gray", interpolation="nearest")
    axes[0].set_title("affinities of neighbours", fontsize=10)
    for ax, (name, labels) in zip(axes[1:], segments.items(), strict=True):
        scores = mc.vision.evaluate(labels, truth)
        ax.imshow(mc.vision.label_colours(labels), interpolation="nearest")
        ax.set_title(
            f"{name}: {labels.max() + 1} segments, error {scores.adapted_rand_error:.3f}",
            fontsize=10,
        )
    for ax in axes:
        ax.axis("off")
    figure.savefig(path, dpi=DPI, pil_kwargs={"optimize": True})


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "images")
