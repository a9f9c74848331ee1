"""How many answers it takes until a segmentation is as good as wanted.

Someone who knows the truth answers one question after the other: do these two regions belong
together? Questions come at random, by the size of costs (the least first), from
``Proofreader.suggest``, and from there with ``Proofreader.learn`` after every ten answers. Random
questions and those by cost are about edges that earlier answers leave open. The answer is a
correction, or confirms what is there. Corrections have the same effect whoever asks: they join two
clusters, or divide one, as ``Proofreader.answer`` does. For comparison, random questions are also
answered by ``join`` and ``separate``, which are about the two regions alone. The variation of
information to the truth, in which each region counts as many pixels as it has, says how good a
segmentation is.

Constants of ``suggest`` were chosen on ``--part tuning``: one half of the volume and the first six
images. What is reported is ``--part held-out``: the other half and the other images.

Reads the electron microscopy volume ``volumes/train-{image,p1.lzf,ws.lzf,gt.lzf}.h5`` and Berkeley
images ``bsds/*.jpg`` with ``*_gt.mat`` from ``--data``.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from skimage.color import rgb2lab

import multicut as mc
from multicut.benchmark.report import describe_environment
from multicut.proofreading.clusters import divide_cluster, join_clusters
from multicut.vision import RegionProblem, read_ground_truth, read_image, region_problem

SHARES = (0.75, 0.5, 0.25)
SEEDS = 2
MOST_SUGGESTIONS = 500
ANSWERS_BETWEEN_LESSONS = 10
TUNING_IMAGES = 6
PARTS = ("tuning", "held-out")
NAMES = ("random", "random, two regions alone", "by cost", "suggest", "suggest and learn")


@dataclass(frozen=True, eq=False)
class Case:
    """A problem with the truth about its regions."""

    name: str
    problem: mc.Problem
    truth: np.ndarray
    sizes: np.ndarray
    features: np.ndarray
    first_axis: np.ndarray  # where regions lie along the longest axis

    def variation_of_information(
        self, labels: np.ndarray, nodes: np.ndarray | None = None
    ) -> float:
        """Return the variation of information to the truth, in bits, of all or some regions."""
        chosen = slice(None) if nodes is None else nodes
        labels, truth, sizes = (
            labels[chosen].astype(np.int64),
            self.truth[chosen],
            self.sizes[chosen],
        )
        both = labels * (int(truth.max()) + 1) + truth
        return 2 * _entropy(both, sizes) - _entropy(labels, sizes) - _entropy(truth, sizes)


def _entropy(labels: np.ndarray, sizes: np.ndarray) -> float:
    shares = np.bincount(np.unique(labels, return_inverse=True)[1].ravel(), sizes) / sizes.sum()
    shares = shares[shares > 0]
    return float(-(shares * np.log2(shares)).sum())


def case_of(name: str, regions: RegionProblem, truth: np.ndarray) -> Case:
    """Give each region the true label that most of its pixels have."""
    superpixels = regions.superpixels
    inside = superpixels >= 0
    num_labels = int(truth.max()) + 1
    overlap = np.bincount(
        superpixels[inside].astype(np.int64) * num_labels + truth[inside],
        minlength=regions.problem.num_nodes * num_labels,
    ).reshape(-1, num_labels)
    graph, problem = regions.graph, regions.problem
    u, v = graph.edges.T
    sizes = graph.counts.astype(np.float64)
    columns = [problem.costs, np.log(graph.sizes)]
    columns += [np.log(np.minimum(sizes[u], sizes[v])), np.log(np.maximum(sizes[u], sizes[v]))]
    if graph.mean is not None:
        columns += [graph.mean, np.sqrt(graph.variance), graph.minimum, graph.maximum]
        columns += [graph.quantile(0.25), graph.quantile(0.75)]
    axis = int(np.argmax(superpixels.shape))
    places = np.indices(superpixels.shape)[axis][inside]
    centres = np.bincount(superpixels[inside], places) / sizes
    if np.asarray(regions.image).ndim == 3 and superpixels.ndim == 2:
        columns += _colour_features(regions)
    features = np.stack(columns, axis=1)
    return Case(name, problem, overlap.argmax(axis=1), sizes, features, centres)


def _colour_features(regions: RegionProblem) -> list[np.ndarray]:
    """Return differences of mean colours and of their spread, and the colours themselves."""
    pixels = rgb2lab(np.asarray(regions.image)[..., :3])
    superpixels = regions.superpixels
    sizes = regions.graph.counts
    u, v = regions.graph.edges.T
    columns = []
    for channel in np.moveaxis(pixels, -1, 0):
        mean = np.bincount(superpixels.ravel(), channel.ravel()) / sizes
        squares = np.bincount(superpixels.ravel(), channel.ravel() ** 2) / sizes
        spread = np.sqrt(np.maximum(squares - mean**2, 0.0))
        columns += [np.abs(mean[u] - mean[v]), np.abs(spread[u] - spread[v]), spread[u] + spread[v]]
        columns += [np.minimum(mean[u], mean[v]), np.maximum(mean[u], mean[v])]
    return columns


def cases(data: Path, part: str, num_images: int | None = None) -> Iterator[Case]:
    """Yield half of the volume and some images, with costs that lean to joins or to cuts."""
    volume = data / "volumes"
    image = np.asarray(read_image(volume / "train-image.h5"))
    boundaries = np.asarray(read_image(volume / "train-p1.lzf.h5"))
    watershed = np.asarray(read_image(volume / "train-ws.lzf.h5"))
    truth = np.asarray(read_ground_truth(volume / "train-gt.lzf.h5")[0])
    middle = image.shape[2] // 2
    half = np.s_[:, :, :middle] if part == "tuning" else np.s_[:, :, middle:]
    for bias in (0.3, 0.5, 0.7):
        regions = region_problem(
            image[half], watershed[half], boundaries=boundaries[half], volume=True, bias=bias
        )
        yield case_of(f"EM volume, bias {bias}", regions, truth[half])
    paths = sorted((data / "bsds").glob("*.jpg"))
    paths = paths[:TUNING_IMAGES] if part == "tuning" else paths[TUNING_IMAGES:]
    for path in paths[:num_images]:
        truth = read_ground_truth(path.with_name(f"{path.stem}_gt.mat"))[0]
        for bias in (0.5, 0.85):
            regions = region_problem(read_image(path), bias=bias)
            yield case_of(f"Berkeley {path.stem}, bias {bias}", regions, truth)


class Session:
    """One run of answers."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.proof = mc.Proofreader(case.problem, features=case.features, num_threads=1)
        self.curve = [self._score()]

    def _score(self) -> float:
        return self.case.variation_of_information(self.proof.labels)

    def answer(self, u: int, v: int, *, whole_sides: bool = True) -> None:
        """Join or separate two regions as in the truth."""
        proof, truth = self.proof, self.case.truth
        is_same = bool(truth[u] == truth[v])
        # What contradicts earlier answers, contradicts the truth as well.
        if not whole_sides or is_same == (proof.labels[u] == proof.labels[v]):
            (proof.join if is_same else proof.separate)(u, v)
        else:
            (join_clusters if is_same else divide_cluster)(proof, u, v)
        self.curve.append(self._score())

    @property
    def is_done(self) -> bool:
        """Whether what is wanted is reached."""
        return self.curve[-1] <= SHARES[-1] * self.curve[0]

    def follow(self, edges: np.ndarray, *, whole_sides: bool = True) -> list[float]:
        """Answer edges in this order but those that earlier answers decide."""
        for edge in edges.tolist():
            if self.is_done:
                break
            u, v = self.case.problem.edges[edge].tolist()
            if not self._is_decided(u, v):
                self.answer(u, v, whole_sides=whole_sides)
        return self.curve

    def _is_decided(self, u: int, v: int) -> bool:
        if self.proof.labels[u] == self.proof.labels[v]:
            return bool(self.proof._live.must_link_path(u, v))
        return self.proof._live.cannot_link_between(u, v) is not None

    def follow_suggestions(self, most: int, *, learns: bool) -> list[float]:
        """Answer suggestions, until what is wanted is reached."""
        while len(self.curve) <= most and not self.is_done:
            found = self.proof.suggest(1, weights=self.case.sizes)
            if not found:
                break
            self.answer(found[0].u, found[0].v)
            if learns and (len(self.curve) - 1) % ANSWERS_BETWEEN_LESSONS == 0:
                self.proof.learn()
                self.curve[-1] = self._score()
        return self.curve


def counts_of(curve: list[float]) -> list[int | None]:
    """Return how many answers it took to reach each share of the first value."""
    values = np.array(curve)
    reached = [np.flatnonzero(values <= share * values[0]) for share in SHARES]
    return [int(found[0]) if len(found) else None for found in reached]


def simulate(case: Case) -> dict[str, Any]:
    """Answer questions in each order."""
    size = case.problem.num_edges
    orders = [np.random.default_rng(seed).permutation(size) for seed in range(SEEDS)]
    by_cost = np.argsort(np.abs(case.problem.costs), kind="stable")
    curves = {
        "suggest": Session(case).follow_suggestions(MOST_SUGGESTIONS, learns=False),
        "suggest and learn": Session(case).follow_suggestions(MOST_SUGGESTIONS, learns=True),
        "by cost": Session(case).follow(by_cost),
    }
    counts: dict[str, Any] = {name: counts_of(curve) for name, curve in curves.items()}
    for name, whole_sides in (("random", True), ("random, two regions alone", False)):
        runs = [counts_of(Session(case).follow(order, whole_sides=whole_sides)) for order in orders]
        counts[name] = [
            None if any(each is None for each in one) else float(np.mean(one))
            for one in zip(*runs, strict=True)
        ]
    return {
        "nodes": case.problem.num_nodes,
        "edges": size,
        "start": curves["suggest"][0],
        "counts": counts,
        "curves": {name: [round(value, 4) for value in curve] for name, curve in curves.items()},
    }


def learn_elsewhere(case: Case, num_answers: int = 30) -> dict[str, float]:
    """Correct one half of a volume, learn, and look at the other half."""
    is_left = case.first_axis < np.median(case.first_axis)
    session = Session(case)
    before = case.variation_of_information(session.proof.labels, ~is_left)
    answered = 0
    while answered < num_answers:
        found = session.proof.suggest(50, weights=case.sizes * is_left)
        inside = [one for one in found if is_left[one.u] and is_left[one.v]]
        if not inside:
            break
        session.answer(inside[0].u, inside[0].v)
        answered += 1
    unlearned = case.variation_of_information(session.proof.labels, ~is_left)
    session.proof.learn()
    after = case.variation_of_information(session.proof.labels, ~is_left)
    return {"answers": answered, "before": before, "unlearned": unlearned, "learned": after}


def as_table(rows: dict[str, dict[str, Any]]) -> str:
    """Return a table in Markdown: answers until shares of the first value are reached."""
    heading = " | ".join(NAMES)
    lines = [f"| problem | regions | VI | {heading} |", "|---|--:|--:|" + "--:|" * len(NAMES)]
    for name, row in rows.items():
        cells = [
            ", ".join("-" if one is None else f"{one:.0f}" for one in row["counts"][column])
            for column in NAMES
        ]
        lines.append(f"| {name} | {row['nodes']:,} | {row['start']:.3f} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def ratios_to_random(rows: dict[str, dict[str, Any]]) -> dict[str, dict[str, list[float]]]:
    """Return by how much random questions take longer, as geometric means over problems.

    What suggestions do not reach counts as if one more answer did, which favours them a little.
    """
    groups: dict[str, list[dict[str, Any]]] = {"all": list(rows.values())}
    for name, row in rows.items():
        kind, bias = name.split()[0], name.split()[-1]
        groups.setdefault(kind, []).append(row)
        groups.setdefault(f"{kind}, bias {bias}", []).append(row)
    ratios: dict[str, dict[str, list[float]]] = {}
    for group, own in groups.items():
        for name in NAMES[1:]:
            means = []
            for i in range(len(SHARES)):
                pairs = [
                    (row["counts"]["random"][i], row["counts"][name][i] or MOST_SUGGESTIONS + 1)
                    for row in own
                ]
                means.append(float(np.exp(np.mean([np.log(slow / fast) for slow, fast in pairs]))))
            ratios.setdefault(group, {})[name] = means
    return ratios


def as_summary(ratios: dict[str, dict[str, list[float]]]) -> str:
    """Return a table in Markdown: how many times as many answers random questions take."""
    shares = ", ".join(f"{share:.0%}" for share in SHARES)
    lines = [f"| random beside, at {shares} | {' | '.join(NAMES[1:])} |"]
    lines.append("|---|" + "--:|" * len(NAMES[1:]))
    for group, own in ratios.items():
        cells = [", ".join(f"{mean:.1f}" for mean in own[name]) for name in NAMES[1:]]
        lines.append(f"| {group} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Simulate, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--images", type=int, help="no more than so many; by default all")
    parser.add_argument("--part", choices=PARTS, default=PARTS[1])
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows: dict[str, dict[str, Any]] = {}
    halves: dict[str, dict[str, float]] = {}
    for case in cases(arguments.data, arguments.part, arguments.images):
        rows[case.name] = simulate(case)
        print(as_table({case.name: rows[case.name]}).splitlines()[-1], flush=True)
        if case.name.startswith("EM"):
            halves[case.name] = learn_elsewhere(case)
            print(halves[case.name], flush=True)
    ratios = ratios_to_random(rows)
    print(as_summary(ratios))
    if arguments.output:
        environment = describe_environment("python -m benchmarks.simulated_proofreading")
        document = {
            "environment": environment,
            "part": arguments.part,
            "shares": SHARES,
            "ratios_to_random": ratios,
            "learning_on_one_half": halves,
            "rows": rows,
        }
        path = arguments.output / "simulated_proofreading"
        path.with_suffix(".json").write_text(json.dumps(document, indent=1) + "\n")
        path.with_suffix(".md").write_text(f"{as_summary(ratios)}\n{as_table(rows)}")


if __name__ == "__main__":
    main()
