"""Cluster points without saying how many clusters there are.

Runs the estimator and those of scikit-learn on a few data sets, all with default parameters and on
standardised features, and prints how well clusters agree with the truth (adjusted Rand index: 1 is
perfect, 0 is chance) and how many there are. Agglomerative clustering is told the true number.

    python examples/clustering_without_k.py --picture clusters.png
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.cluster import DBSCAN, HDBSCAN, AffinityPropagation, AgglomerativeClustering
from sklearn.datasets import (
    load_digits,
    load_iris,
    load_wine,
    make_blobs,
    make_circles,
    make_moons,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

import multicut as mc

Points = tuple[np.ndarray, np.ndarray]
ESTIMATORS: dict[str, Any] = {
    "MulticutClustering": mc.MulticutClustering(),
    "DBSCAN": DBSCAN(),
    "HDBSCAN": HDBSCAN(copy=True),
    "AffinityPropagation": AffinityPropagation(random_state=0),
    "Agglomerative, true k": AgglomerativeClustering(),
}


def data_sets(seed: int, num_samples: int = 400) -> dict[str, Points]:
    """Draw and load points with known clusters; features are standardised."""
    sets: dict[str, Points] = {
        "blobs": make_blobs(num_samples, centers=5, random_state=seed),
        "blobs, 10-d": make_blobs(num_samples, centers=6, n_features=10, random_state=seed),
        "uneven blobs": make_blobs(num_samples, cluster_std=[1, 2.5, 0.5], random_state=seed),
        "moons": make_moons(num_samples, noise=0.07, random_state=seed),
        "circles": make_circles(num_samples, factor=0.5, noise=0.05, random_state=seed),
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "digits": load_digits(return_X_y=True),
    }
    return {name: (StandardScaler().fit_transform(x), y) for name, (x, y) in sets.items()}


def cluster(estimator: Any, points: Points) -> np.ndarray:
    """Fit a copy of an estimator; samples that DBSCAN calls noise are clusters of their own."""
    samples, truth = points
    estimator = clone(estimator)
    if "n_clusters" in estimator.get_params():
        estimator.set_params(n_clusters=len(np.unique(truth)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # AffinityPropagation, at times
        labels = np.array(estimator.fit_predict(samples))
    noise = labels < 0
    labels[noise] = labels.max() + 1 + np.arange(noise.sum())
    return labels


def save_picture(path: Path, sets: dict[str, Points]) -> None:
    """Draw what each estimator finds in the plane."""
    import matplotlib.pyplot as plt

    flat = {name: points for name, points in sets.items() if points[0].shape[1] == 2}
    figure, axes = plt.subplots(
        len(ESTIMATORS),
        len(flat),
        figsize=(2.4 * len(flat), 2.4 * len(ESTIMATORS)),
        layout="constrained",
    )
    for row, (estimator_name, estimator) in zip(axes, ESTIMATORS.items(), strict=True):
        row[0].set_ylabel(estimator_name)
        for ax, (name, points) in zip(row, flat.items(), strict=True):
            labels = cluster(estimator, points)
            alone = np.bincount(labels)[labels] == 1
            colours = np.where(alone[:, None], 0.8, plt.get_cmap("tab10")(labels % 10)[:, :3])
            ax.scatter(*points[0].T, s=4, color=colours)
            ax.set(xticks=[], yticks=[], title=f"{name}: {len(np.unique(labels[~alone]))}")
    figure.savefig(path)
    plt.close(figure)


def main(
    num_seeds: int = 3, num_samples: int = 400, picture: Path | None = None
) -> dict[str, dict[str, float]]:
    """Print a table: one row per estimator, one column per data set, mean over seeds."""
    drawn = [data_sets(seed, num_samples) for seed in range(100, 100 + num_seeds)]
    scores: dict[str, dict[str, float]] = {}
    print(" " * 22, *(f"{name:>14}" for name in drawn[0]))
    for estimator_name, estimator in ESTIMATORS.items():
        cells = []
        scores[estimator_name] = {}
        for name in drawn[0]:
            # Data that is loaded is the same for each seed.
            repeated = [drawn[0]] if name in ("iris", "wine", "digits") else drawn
            found = [(cluster(estimator, sets[name]), sets[name][1]) for sets in repeated]
            index = float(np.mean([adjusted_rand_score(y, labels) for labels, y in found]))
            # Samples on their own are noise to a reader, whatever an estimator calls them.
            count = float(np.mean([(np.bincount(labels) > 1).sum() for labels, _ in found]))
            scores[estimator_name][name] = index
            cells.append(f"{index:.2f} ({count:.0f})")
        print(f"{estimator_name:<22}", *(f"{cell:>14}" for cell in cells))
    print("\nadjusted Rand index (number of clusters of two and more samples)")
    if picture is not None:
        save_picture(picture, drawn[0])
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-seeds", type=int, default=3)
    parser.add_argument("--num-samples", type=int, default=400)
    parser.add_argument("--picture", type=Path, help="where to save a figure")
    main(**vars(parser.parse_args()))
