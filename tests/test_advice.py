"""Likely mistakes of new users: each gets one line that names the way out."""

from __future__ import annotations

import io
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np
import pandas
import pytest
import scipy.sparse

import multicut as mc

EDGES = [[0, 1], [1, 2], [0, 2]]
COSTS = [1.0, 2.0, -4.0]
PROBLEM = mc.Problem(EDGES, COSTS)
RESULT = mc.solve(PROBLEM, "gaec")
MATRIX = scipy.sparse.csr_array(np.eye(3))

MISTAKES = [
    (lambda: mc.solve(np.array(EDGES), COSTS), "got ndarray; make one of edges and costs: mc.Prob"),
    (lambda: mc.solve(EDGES, COSTS), "got list; make one of edges and costs: mc.Problem(edges, "),
    (lambda: mc.solve("a.txt"), "got str; read it first: mc.read('a.txt')"),
    (lambda: mc.solve(nx.Graph()), "got Graph; make one of it: mc.Problem.from_networkx("),
    (lambda: mc.solve(MATRIX), "got csr_array; make one of it: mc.Problem.from_scipy("),
    (lambda: mc.solve(pandas.DataFrame()), "make one of it: mc.Problem.from_pandas("),
    (lambda: mc.solve([PROBLEM]), "got list; mc.solve_batch takes several"),
    (lambda: mc.solve_batch(PROBLEM), "problems must be a list of problems, got one; use solve"),
    (lambda: mc.solve_batch([EDGES], "gaec"), "problem must be a multicut.Problem, got list"),
    (lambda: mc.lower_bound(EDGES), "problem must be a multicut.Problem, got list"),
    (lambda: mc.reduce(EDGES), "problem must be a multicut.Problem, got list"),
    (lambda: mc.objective([0, 1, 1], PROBLEM), "problem must be a multicut.Problem, got list"),
    (lambda: mc.objective(PROBLEM, RESULT), "labels must be an array, got Result; pass its .label"),
    (lambda: mc.objective(PROBLEM, RESULT.by_id()), "in the order of the problem, got a mapping"),
    (lambda: mc.is_feasible(PROBLEM, RESULT), "cut must be an array, got Result; pass its .cut"),
    (lambda: mc.plotting.plot_problem(EDGES), "problem must be a multicut.Problem, got list"),
    (lambda: mc.solve(PROBLEM, "GAEC"), "unknown solver 'GAEC'; did you mean 'gaec'?"),
    (lambda: mc.solve(PROBLEM, "greedy_fixation"), "did you mean 'greedy-fixation'?"),
    (lambda: mc.solve(PROBLEM, timelimit=3), "no option 'timelimit'; did you mean 'time_limit'?"),
    (lambda: mc.read(None), "path must be a path or a stream of bytes, got NoneType"),
    (lambda: mc.read_all(3), "path must be a path or a stream of bytes, got int"),
    (lambda: mc.read(io.StringIO("0 1 2")), "got one of text; open it in mode 'rb' or 'wb'"),
    (
        lambda: mc.read("~/a.txt"),
        "no such file; write the whole path, or Path('~/a.txt').expand",
    ),
    (lambda: mc.read("https://a.b/c.txt"), "no such file; download it first"),
    (lambda: mc.write(PROBLEM, None), "path must be a path or a stream of bytes, got NoneType"),
    (lambda: mc.write("a.txt", PROBLEM), "the problem comes first: mc.write(problem, path)"),
    (lambda: mc.write([PROBLEM], "a.npz"), "got list; mc.io.write_all takes several"),
    (lambda: mc.Problem(np.ones((4, 4)), []), "(4, 4); for a matrix of costs, Problem.from_scipy("),
    (lambda: mc.Problem([[0, 1, 2.5], [1, 2, -1]], []), "(2, 3); pass the last column as costs"),
    (lambda: mc.Problem(np.array(EDGES).T, COSTS), "got (2, 3); transpose it"),
    (lambda: mc.Problem({(0, 1): 2.0}, [1]), "got dict; pass its keys as edges"),
    (lambda: mc.Problem(zip([0], [1], strict=True), [1]), "got zip; wrap it in list(...)"),
    (lambda: mc.Problem(EDGES, 1.0), "got float; one for each edge: numpy.full(len(edges), 1.0)"),
    (lambda: mc.Problem(EDGES, [1, None, 2]), "got None at edge 1; drop or impute it"),
    (lambda: mc.Problem.from_networkx(EDGES), "the graph must be a networkx.Graph, got list"),
    (lambda: mc.Problem.from_igraph(EDGES), "the graph must be a igraph.Graph, got list"),
    (lambda: mc.Problem.from_pyg(EDGES), "the graph must be a torch_geometric.data.Data, got list"),
    (lambda: mc.Dataset([PROBLEM]), "make a dataset with Dataset.from_problems(problems)"),
    (lambda: mc.vision.segment(None), "image must be an array or the path of a file, got NoneType"),
    (lambda: mc.vision.segment("no.txt"), "no.txt: unknown kind of file; names must end in one of"),
    (lambda: mc.load_model("universal", device="gpu"), "device must be 'cpu' or 'cuda', got 'gpu'"),
]


@pytest.mark.parametrize(("mistake", "advice"), MISTAKES, ids=[text for _, text in MISTAKES])
def test_advice(mistake, advice):
    with pytest.raises((TypeError, ValueError, FileNotFoundError)) as caught:
        mistake()
    assert "\n" not in str(caught.value)
    assert advice in str(caught.value)


@pytest.mark.parametrize(
    ("build", "is_there", "advice"),
    [
        (None, False, "is built without CUDA; install a build with it (https://pytorch.org"),
        ("12.8", False, "is built for CUDA 12.8 but finds no GPU; install the driver (nvidia-smi"),
        ("12.8", True, "torch finds 2 GPU(s); name one of cuda:0 … cuda:1"),
    ],
)
def test_a_gpu_that_is_not_there(monkeypatch, build, is_there, advice):
    import torch

    monkeypatch.setattr(torch.version, "cuda", build)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: is_there)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    with pytest.raises(ValueError, match="device='cuda:9': ") as caught:
        mc.load_model("universal", device="cuda:9")
    assert advice in str(caught.value)
    assert str(caught.value).endswith("or use device='cpu'")


@pytest.mark.parametrize("kind", [str, Path])
def test_images_by_their_paths(tmp_path, kind):
    image = mc.vision.sample_image("coffee")[:60, :80]
    regions = np.arange(60 * 80).reshape(60, 80) // 400
    mc.vision.write_image(tmp_path / "photo.png", image)
    mc.vision.write_labels(tmp_path / "regions.png", regions)
    by_path = mc.vision.segment(kind(tmp_path / "photo.png"), kind(tmp_path / "regions.png"))
    assert np.array_equal(by_path.labels, mc.vision.segment(image, regions).labels)
    assert mc.Problem.from_image(kind(tmp_path / "photo.png")) == mc.Problem.from_image(image)


def test_numbers_of_any_kind_are_costs():
    problem = mc.Problem(EDGES, [Decimal("1.5"), Fraction(1, 2), 10**30])
    assert problem.costs.tolist() == [1.5, 0.5, 1e30]


def test_endings_in_capitals(tmp_path):
    RESULT.save(tmp_path / "LABELS.CSV")
    assert (tmp_path / "LABELS.CSV").read_text().startswith("node,label")
