"""The parts of benchmarks/segmentation.py that choose and compare, on an image made here."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import multicut as mc

PATH = Path(__file__).parents[2] / "benchmarks" / "segmentation.py"


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("segmentation_benchmark", PATH)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def sample(benchmark):
    truth = np.zeros((40, 60), dtype=int)
    truth[:, 20:] = 1
    truth[20:, 40:] = 2
    noise = np.random.default_rng(0).integers(0, 12, (40, 60, 3))
    image = np.array([[200, 40, 40], [40, 200, 40], [40, 40, 200]])[truth] + noise
    other = np.where(truth == 2, 1, truth)
    return benchmark.Sample("made here", image.astype(np.uint8), (truth, other))


def test_errors_of_regions_are_those_of_pixels(benchmark, sample):
    rows, columns = np.indices((40, 60))
    regions = rows // 7 * 9 + columns // 7
    labels = np.random.default_rng(1).integers(0, 5, regions.max() + 1)
    overlaps = benchmark.Overlaps(sample, regions)
    scores = mc.vision.evaluate(labels[regions], list(sample.truths))
    assert overlaps.rand_error(labels) == pytest.approx(scores.adapted_rand_error)


def test_all_methods_find_what_is_plain_to_see(benchmark, sample):
    pipeline = benchmark.Pipeline(num_regions=60)
    methods = benchmark.image_methods([sample], pipeline)
    assert len(methods) == 4
    down, right = np.indices((40, 60))
    parts = mc.vision.region_problem(sample.image, down // 5 * 12 + right // 5)
    rows = benchmark.measure(sample, parts, methods)
    assert [row.method for row in rows[:7]] == list(benchmark.SOLVERS)
    for row in rows:
        if row.method != "gnn":  # one pass of the network promises nothing
            assert row.num_segments == 3, row.method
            assert row.scores.boundary_f > 0.95
    optimum = next(row.objective for row in rows if row.method == "ilp")
    assert all(row.objective >= optimum - 1e-9 for row in rows)


def test_tables_have_a_row_for_each_method(benchmark, sample, tmp_path):
    pipeline = benchmark.Pipeline(num_regions=60)
    rows = [benchmark.measure(sample, pipeline.problem(sample.image), {}) for _ in range(2)]
    one = benchmark.section("Images", [sample, sample], rows)
    environment = {"multicut": "0", "cpu": "c", "date": "2000-01-01T00", "command": "x"}
    document = {"environment": environment, "images": ["a", "b"], "sections": [one]}
    benchmark.write(document, tmp_path)
    page = (tmp_path / "segmentation.md").read_text()
    assert page.count("| ilp |") == 2
    assert "The 1 of odd index:" in page
