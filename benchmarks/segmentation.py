"""Segmentations by every solver and by scikit-image, on the same superpixels, against people.

Images of the Berkeley dataset (``bsds/*.jpg`` with ``*_gt.mat``) and an electron microscopy volume
(``volumes/train-{image,p1.lzf,ws.lzf,gt.lzf}.h5``) are read from ``--data``, never copied. What has
parameters is chosen on the images of even index, and on the first half of the volume's slices.

``--pictures DIR`` draws segmentations beside those of people; they show the images, so keep them
out of the repository.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from skimage import graph as skimage_graph

import multicut as mc
from multicut.benchmark.report import describe_environment
from multicut.vision import (
    BoundaryCosts,
    ColourCosts,
    RegionProblem,
    Scores,
    Watershed,
    evaluate,
    log_odds,
    read_ground_truth,
    read_image,
    region_problem,
)
from multicut.vision.image import as_picture

SOLVERS = ("gaec", "greedy-fixation", "klj", "fusion", "learned", "gnn", "ilp")
QUICK = "klj"  # solves the problems of the grids
TIME_LIMIT = 60.0
# The thresholds of the gallery of scikit-image: RAG thresholding, RAG merging, merging by boundary.
DOCUMENTED = {"cut_threshold": 29.0, "merge_hierarchical": 35.0}
DOCUMENTED_BOUNDARY = {"cut_threshold": 0.08, "merge_hierarchical": 0.08}
THRESHOLDS = (3.0, 5.0, 8.0, 12.0, 16.0, 22.0, 29.0, 35.0, 45.0, 60.0, 80.0)
BOUNDARY_THRESHOLDS = (0.02, 0.05, 0.08, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
BIASES = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)

DEFAULT_COSTS = ColourCosts()
SIGMAS = (0.1, 0.15, 0.2, 0.3, 0.4)
IMAGE_BIASES = (0.5, 0.35, 0.2)

Labels = np.ndarray
Cut = Callable[[float, Any, Labels], Labels]
Method = Callable[["Sample", Labels], Labels]


@dataclass(frozen=True)
class Pipeline:
    """How an image becomes a problem."""

    num_regions: int = Watershed().num_regions
    costs: ColourCosts = DEFAULT_COSTS
    bias: float = 0.5

    def problem(self, image: np.ndarray) -> RegionProblem:
        """Divide an image and weigh its edges."""
        division = Watershed(num_regions=self.num_regions)
        return region_problem(image, division, costs=self.costs, bias=self.bias, volume=False)

    def __str__(self) -> str:
        return (
            f"watershed of about {self.num_regions} regions, colours in {self.costs.space}, "
            f"sigma {self.costs.sigma:g}, edges weighted by {self.costs.weighting}, "
            f"bias {self.bias:g}"
        )


@dataclass(frozen=True)
class Sample:
    """An image or volume with what people say of it."""

    name: str
    image: np.ndarray
    truths: tuple[Labels, ...]
    superpixels: Labels | None = None
    boundaries: np.ndarray | None = None
    ignore: tuple[int, ...] = ()


@dataclass(frozen=True)
class Row:
    """One method on one sample."""

    method: str
    scores: Scores
    objective: float | None
    num_segments: int
    seconds: float | None


def main() -> None:
    """Write ``segmentation.md`` and ``segmentation.json``, and pictures if wanted."""
    arguments = parse_arguments()
    images = [load_image(path) for path in find_images(arguments.data)]
    for name in ("gnn", "learned", "ilp"):
        mc.solve(mc.datasets.irismp(), name)  # libraries and weights are loaded once
    document: dict[str, Any] = {
        "environment": describe_environment("python benchmarks/segmentation.py --data FOLDER"),
        "images": [sample.name for sample in images],
        "sections": [],
    }
    pipelines = {"as it comes": Pipeline()}
    say("choosing parameters on the images of even index")
    pipelines["chosen on even images"] = chosen = choose_pipeline(images[::2])
    for name, pipeline in pipelines.items():
        methods = image_methods(images[::2], pipeline)
        rows = [measure(sample, pipeline.problem(sample.image), methods) for sample in images]
        document["sections"].append(section(f"Images, {name}: {pipeline}", images, rows))
    people = [[people_row(sample)] for sample in images]
    document["sections"].append(section("Images, people against each other", images, people))
    document["sections"] += volume_sections(arguments.data)
    write(document, arguments.output)
    if arguments.pictures is not None:
        draw(images, chosen, volume(arguments.data), arguments.pictures)


def load_image(path: Path) -> Sample:
    """Read an image with all human segmentations of it."""
    truths = read_ground_truth(path.with_name(f"{path.stem}_gt.mat"))
    return Sample(path.stem, read_image(path), truths)


def find_images(data: Path) -> list[Path]:
    """List the images that have human segmentations."""
    paths = sorted((data / "bsds").glob("*.jpg"))
    found = [path for path in paths if path.with_name(f"{path.stem}_gt.mat").is_file()]
    if not found:
        raise SystemExit(f"error: --data {data}: there are no images bsds/*.jpg with *_gt.mat")
    return found


def volume(data: Path) -> Sample | None:
    """Read the microscopy volume, if it is there."""
    folder = data / "volumes"
    names = ("train-image.h5", "train-gt.lzf.h5", "train-ws.lzf.h5", "train-p1.lzf.h5")
    if not all((folder / name).is_file() for name in names):
        return None
    image, truth, superpixels, boundaries = (read_image(folder / name) for name in names)
    # Label 0 is membrane, which belongs to no cell.
    return Sample("EM volume", image, (truth,), superpixels, boundaries, ignore=(0,))


def part_of(sample: Sample, slices: slice) -> Sample:
    """Take some slices of a volume."""
    assert sample.superpixels is not None
    assert sample.boundaries is not None
    return replace(
        sample,
        image=sample.image[slices],
        truths=tuple(truth[slices] for truth in sample.truths),
        superpixels=sample.superpixels[slices],
        boundaries=sample.boundaries[slices],
    )


def volume_problem(sample: Sample, bias: float) -> RegionProblem:
    """Weigh the edges of given superpixels by given boundary probabilities."""
    return region_problem(
        sample.image,
        sample.superpixels,
        boundaries=sample.boundaries,
        costs=BoundaryCosts(),
        bias=bias,
        volume=True,
    )


# ---- choosing parameters ------------------------------------------------------------------------


class Overlaps:
    """How many pixels regions share with true segments: all that the Rand error needs."""

    def __init__(self, sample: Sample, regions: Labels) -> None:
        self.tables = []
        for truth in sample.truths:
            counted = ~np.isin(truth, sample.ignore)
            _, columns = np.unique(truth[counted], return_inverse=True)
            table = np.zeros((int(regions.max()) + 1, int(columns.max()) + 1))
            np.add.at(table, (regions[counted], columns.ravel()), 1)
            self.tables.append(table)

    def rand_error(self, labels: Labels) -> float:
        """Mean adapted Rand error of one label per region."""
        errors = []
        for table in self.tables:
            joint = np.zeros((int(labels.max()) + 1, table.shape[1]))
            np.add.at(joint, labels, table)
            pairs = [(x * (x - 1)).sum() for x in (joint, joint.sum(axis=1), joint.sum(axis=0))]
            errors.append(1 - 2 * pairs[0] / (pairs[1] + pairs[2]))
        return float(np.mean(errors))


def choose_pipeline(samples: list[Sample]) -> Pipeline:
    """Return the parameters of the lowest mean adapted Rand error, all solved by klj."""
    errors: dict[Pipeline, list[float]] = {}
    for sample, num_regions in itertools.product(samples, (300, 600)):
        base = Pipeline(num_regions).problem(sample.image)
        overlaps = Overlaps(sample, base.superpixels)
        for space in ("lab", "rgb"):
            # With sigma 1 the probability of a cut is 1 - exp(-distance).
            picture = as_picture(sample.image, volume=False)
            unit = ColourCosts(sigma=1.0, space=space)
            distances = -np.log1p(-unit.probabilities(picture, base.superpixels, base.graph))
            for weighting, sigma, bias in itertools.product(("size", "none"), SIGMAS, IMAGE_BIASES):
                costs = ColourCosts(sigma=sigma, space=space, weighting=weighting)
                values = log_odds(-np.expm1(-distances / sigma), bias, costs.clip)
                if weighting == "size":
                    values = values * base.graph.sizes / base.graph.sizes.mean()
                problem = mc.Problem(base.graph.edges, values, num_nodes=base.graph.num_regions)
                error = overlaps.rand_error(mc.solve(problem, QUICK).labels)
                errors.setdefault(Pipeline(num_regions, costs, bias), []).append(error)
    return min(errors, key=lambda pipeline: np.mean(errors[pipeline]))


def choose_threshold(
    rag_of: Callable[[Sample, Labels], Any],
    cut: Cut,
    thresholds: tuple[float, ...],
    samples: list[tuple[Sample, Labels]],
) -> float:
    """Return the threshold of the lowest mean adapted Rand error."""
    errors: dict[float, list[float]] = {threshold: [] for threshold in thresholds}
    for sample, regions in samples:
        overlaps, rag = Overlaps(sample, regions), rag_of(sample, regions)
        for threshold in thresholds:
            labels = labels_of_regions(cut(threshold, rag, regions), regions)
            errors[threshold].append(overlaps.rand_error(labels))
    return min(errors, key=lambda threshold: np.mean(errors[threshold]))


# ---- methods: from superpixels to segments ------------------------------------------------------


def image_methods(even: list[Sample], pipeline: Pipeline) -> dict[str, Method]:
    """Both ways of scikit-image, with the thresholds of its gallery and with chosen ones."""
    samples = [(sample, pipeline.problem(sample.image).superpixels) for sample in even]
    cuts = {"cut_threshold": cut_threshold, "merge_hierarchical": merge_by_colour}
    return _methods(colour_rag, cuts, DOCUMENTED, THRESHOLDS, samples)


def volume_methods(first: Sample) -> dict[str, Method]:
    """Both ways of scikit-image, by boundaries."""
    samples = [(first, volume_problem(first, 0.5).superpixels)]
    cuts = {"cut_threshold": cut_threshold, "merge_hierarchical": merge_by_boundary}
    return _methods(boundary_rag, cuts, DOCUMENTED_BOUNDARY, BOUNDARY_THRESHOLDS, samples)


def _methods(
    rag_of: Callable[[Sample, Labels], Any],
    cuts: dict[str, Cut],
    documented: dict[str, float],
    thresholds: tuple[float, ...],
    samples: list[tuple[Sample, Labels]],
) -> dict[str, Method]:
    methods: dict[str, Method] = {}
    for name, cut in cuts.items():
        chosen = choose_threshold(rag_of, cut, thresholds, samples)
        for threshold, why in ((documented[name], "documented"), (chosen, "chosen")):
            methods[f"scikit-image {name}, {threshold:g} ({why})"] = (
                lambda sample, regions, cut=cut, threshold=threshold: cut(
                    threshold, rag_of(sample, regions), regions
                )
            )
    return methods


def colour_rag(sample: Sample, regions: Labels) -> Any:
    """Weigh edges by the distance of mean colours, 0 … 255."""
    return skimage_graph.rag_mean_color(sample.image, regions)


def boundary_rag(sample: Sample, regions: Labels) -> Any:
    """Weigh edges by the mean boundary probability along them."""
    return skimage_graph.rag_boundary(regions, np.asarray(sample.boundaries, dtype=np.float64))


def cut_threshold(threshold: float, rag: Any, regions: Labels) -> Labels:
    """Drop edges above the threshold."""
    return skimage_graph.cut_threshold(regions, rag, threshold, in_place=False)


def merge_by_colour(threshold: float, rag: Any, regions: Labels) -> Labels:
    """Merge the most similar regions until mean colours differ by more than the threshold."""

    def merge(rag: Any, source: int, target: int) -> None:
        node = rag.nodes[target]
        for key in ("total color", "pixel count"):
            node[key] = node[key] + rag.nodes[source][key]
        node["mean color"] = node["total color"] / node["pixel count"]

    def weigh(rag: Any, source: int, target: int, neighbour: int) -> dict[str, float]:  # noqa: ARG001
        difference = rag.nodes[target]["mean color"] - rag.nodes[neighbour]["mean color"]
        return {"weight": float(np.linalg.norm(difference))}

    return _merge(regions, rag, threshold, merge, weigh)


def merge_by_boundary(threshold: float, rag: Any, regions: Labels) -> Labels:
    """Merge across the weakest boundary until all are above the threshold."""

    def weigh(rag: Any, source: int, target: int, neighbour: int) -> dict[str, float]:
        nothing = {"weight": 0.0, "count": 0}
        edges = [rag[node].get(neighbour, nothing) for node in (source, target)]
        count = sum(edge["count"] for edge in edges)
        return {
            "count": count,
            "weight": sum(edge["count"] * edge["weight"] for edge in edges) / count,
        }

    return _merge(regions, rag, threshold, lambda rag, source, target: None, weigh)  # noqa: ARG005


def _merge(regions: Labels, rag: Any, threshold: float, merge: Any, weigh: Any) -> Labels:
    return skimage_graph.merge_hierarchical(
        regions,
        rag,
        thresh=threshold,
        rag_copy=True,
        in_place_merge=True,
        merge_func=merge,
        weight_func=weigh,
    )


# ---- measuring ----------------------------------------------------------------------------------


def measure(sample: Sample, parts: RegionProblem, methods: dict[str, Method]) -> list[Row]:
    """Score all solvers and the other methods on the superpixels of one problem."""
    say(sample.name)
    seen: dict[bytes, Scores] = {}

    def row(name: str, labels: Labels, seconds: float) -> Row:
        # Exact numbering decides nothing, so equal partitions are scored once.
        key = np.unique(labels, return_inverse=True)[1].astype(np.int32).tobytes()
        if key not in seen:
            seen[key] = evaluate(labels, list(sample.truths), ignore=sample.ignore)
        cost = mc.objective(parts.problem, labels_of_regions(labels, parts.superpixels))
        return Row(name, seen[key], cost, len(np.unique(labels)), seconds)

    rows = []
    build = seconds_of(lambda: rebuild(sample, parts))
    for solver in SOLVERS:
        start = time.perf_counter()
        result = mc.solve(parts.problem, solver, TIME_LIMIT)
        seconds = build + time.perf_counter() - start
        rows.append(row(solver, result.labels[parts.superpixels], seconds))
    for name, method in methods.items():
        start = time.perf_counter()
        labels = method(sample, parts.superpixels)
        rows.append(row(name, labels, time.perf_counter() - start))
    return rows


def rebuild(sample: Sample, parts: RegionProblem) -> None:
    """Build region graph and costs from superpixels: what comes before solving."""
    is_volume = parts.superpixels.ndim == 3
    region_problem(
        sample.image,
        parts.superpixels,
        boundaries=sample.boundaries,
        volume=is_volume,
    )


def seconds_of(work: Callable[[], object]) -> float:
    """Return the shortest of three runs."""
    times = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def labels_of_regions(labels: Labels, regions: Labels) -> Labels:
    """Return one label per region, all of whose pixels have the same."""
    found = np.zeros(int(regions.max()) + 1, dtype=np.int64)
    found[regions.ravel()] = labels.ravel()
    return found


def people_row(sample: Sample) -> Row:
    """Score the first person against the others."""
    first, *others = sample.truths
    return Row(
        "a person, against the others", evaluate(first, others), None, len(np.unique(first)), None
    )


def volume_sections(data: Path) -> Iterator[dict[str, Any]]:
    """Measure the volume: parameters from its first half, scores on its second half and on all."""
    sample = volume(data)
    if sample is None:
        return
    middle = len(sample.image) // 2
    first, second = part_of(sample, slice(0, middle)), part_of(sample, slice(middle, None))
    errors = {}
    for bias in BIASES:
        parts = volume_problem(first, bias)
        labels = mc.solve(parts.problem, QUICK).labels
        errors[bias] = Overlaps(first, parts.superpixels).rand_error(labels)
    chosen = min(errors, key=lambda bias: errors[bias])
    methods = volume_methods(first)
    for name, bias in (("as it comes", 0.5), ("chosen on the first half", chosen)):
        for half, what in ((second, "second half"), (sample, "all slices")):
            rows = [measure(half, volume_problem(half, bias), methods)]
            title = f"EM volume, {what}, {name}: given watershed and boundaries, bias {bias:g}"
            yield section(title, [half], rows, with_odd=False)


# ---- writing ------------------------------------------------------------------------------------


def section(
    title: str, samples: list[Sample], rows: list[list[Row]], *, with_odd: bool = True
) -> dict[str, Any]:
    """Put the rows of all samples together."""
    methods = [row.method for row in rows[0]]
    by_method = {
        method: [as_record(sample.name, one[i]) for sample, one in zip(samples, rows, strict=True)]
        for i, method in enumerate(methods)
    }
    return {"title": title, "with_odd": with_odd, "methods": by_method}


def as_record(name: str, row: Row) -> dict[str, Any]:
    """Return plain values."""
    return {
        "sample": name,
        **row.scores.to_dict(),
        "objective": row.objective,
        "num_segments": row.num_segments,
        "seconds": row.seconds,
    }


COLUMNS = {
    "segments": ("num_segments", "{:.0f}"),
    "VI split": ("vi_split", "{:.3f}"),
    "VI merge": ("vi_merge", "{:.3f}"),
    "VI": ("variation_of_information", "{:.3f}"),
    "Rand error": ("adapted_rand_error", "{:.4f}"),
    "boundary P": ("boundary_precision", "{:.3f}"),
    "boundary R": ("boundary_recall", "{:.3f}"),
    "boundary F": ("boundary_f", "{:.3f}"),
    "objective": ("objective", "{:,.1f}"),
    "ms": ("seconds", "{:.1f}"),
}
INTRODUCTION = """\
Generated by `benchmarks/segmentation.py`; do not edit. Means over images of the scores against all
human segmentations of each. VI: variation of information in bits, split + merge, lower is better.
Rand error: adapted Rand error, lower is better. Boundary precision, recall and F by the Berkeley
rule with a tolerance of 0.0075 of the diagonal, higher is better. Objective: of the multicut
problem, also for methods that do not know it, lower is better. ms: from superpixels to segments, on
a shared machine. All methods of a table share the superpixels.

Parameters are *documented* (the gallery of scikit-image), *as it comes* (our defaults) or *chosen*:
of the lowest mean adapted Rand error on the images of even index, or on the first half of the
volume; the tables of odd images, and of the second half, are then held out."""


def write(document: dict[str, Any], folder: Path) -> None:
    """Write the tables for people and the measurements for programs."""
    environment = document["environment"]
    lines = ["# Segmentations against people", "", INTRODUCTION, ""]
    lines += [
        f"- multicut {environment['multicut']}, {environment['cpu']}, {environment['date'][:10]}",
        f"- command: `{environment['command']}`",
        "",
    ]
    for one in document["sections"]:
        lines += [f"## {one['title']}", ""]
        if one["with_odd"]:
            number = len(document["images"])
            lines += [f"All {number} images:", "", *table(one, slice(None)), ""]
            lines += [f"The {number // 2} of odd index:", "", *table(one, slice(1, None, 2)), ""]
        else:
            lines += [*table(one, slice(None)), ""]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "segmentation.md").write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    text = json.dumps(document, indent=1, allow_nan=False)
    (folder / "segmentation.json").write_text(text + "\n", encoding="utf-8")
    say(f"written to {folder}/segmentation.md and segmentation.json")


def table(one: dict[str, Any], which: slice) -> list[str]:
    """Return the lines of a table in Markdown."""
    lines = ["| method | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for method, records in one["methods"].items():
        cells = []
        for key, form in COLUMNS.values():
            values = [record[key] for record in records[which]]
            if None in values:
                cells.append("–")  # noqa: RUF001
            else:
                mean = float(np.mean(values)) * (1000 if key == "seconds" else 1)
                cells.append(form.format(mean))
        lines.append(f"| {method} | " + " | ".join(cells) + " |")
    return lines


def draw(images: list[Sample], pipeline: Pipeline, em: Sample | None, folder: Path) -> None:
    """Draw three images beside two people's segmentations, the example, and a volume slice."""
    folder.mkdir(parents=True, exist_ok=True)
    ours = {}
    for sample in images:
        parts = pipeline.problem(sample.image)
        ours[sample.name] = mc.solve(parts.problem, "ilp", TIME_LIMIT).labels[parts.superpixels]
    odd = images[1::2] or images
    scores = {s.name: evaluate(ours[s.name], list(s.truths)) for s in odd}
    odd = sorted(odd, key=lambda sample: scores[sample.name].adapted_rand_error)
    # One that goes well, one in the middle, one that goes badly.
    for sample in (odd[0], odd[len(odd) // 2], odd[-1]):
        score = scores[sample.name]
        title = f"multicut: Rand error {score.adapted_rand_error:.2f}, F {score.boundary_f:.2f}"
        panels = {title: ours[sample.name]}
        panels |= {f"person {i + 1}": truth for i, truth in enumerate(sample.truths[:2])}
        figure = mc.plotting.plot_comparison(sample.image, panels)
        figure.savefig(folder / f"berkeley-{sample.name}.png", dpi=110)
    example = mc.vision.segment(odd[0].image, preset="paper", solver="ilp")
    mc.plotting.plot_segmentation(example).savefig(folder / "example.png", dpi=110)
    if em is not None:
        parts = volume_problem(em, 0.3)
        found = mc.solve(parts.problem, "ilp", TIME_LIMIT).labels[parts.superpixels]
        z = len(em.image) // 2
        panels = {
            f"watershed, slice {z}": parts.superpixels[z],
            "multicut": found[z],
            "truth": np.where(em.truths[0][z] == 0, -1, em.truths[0][z]),
        }
        figure = mc.plotting.plot_comparison(em.image[z], panels)
        figure.savefig(folder / "volume-slice.png", dpi=110)
    say(f"pictures written to {folder}")


def say(text: str) -> None:
    """Tell what is going on."""
    print(text, file=sys.stderr, flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = os.environ.get("MULTICUT_DATA")
    parser.add_argument(
        "--data",
        type=Path,
        default=default,
        required=default is None,
        help="folder with bsds/ and volumes/; by default MULTICUT_DATA",
    )
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results")
    parser.add_argument("--pictures", type=Path, help="draw segmentations into this folder")
    return parser.parse_args()


if __name__ == "__main__":
    main()
