from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

import multicut as mc

FRONTIER = {
    "families": [
        {
            "family": "randommp",
            "points": [
                {"name": "gaec", "group": "gaec", "seconds": 0.001, "ratio": 0.98},
                {"name": "ilp", "group": "ilp", "seconds": 0.1, "ratio": 1.0},
            ],
        },
        {"family": "irismp", "points": [{"name": "gaec", "seconds": 1e-4, "ratio": 0.99}]},
    ]
}


def is_drawn(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("L")).std() > 1


def test_problem(multicut, problem_file, tmp_path):
    picture = tmp_path / "problem.png"
    outcome = multicut("plot", "problem", problem_file, "-o", picture)
    assert outcome.code == 0
    assert "Drawn to" in outcome.stderr
    assert is_drawn(picture)


def test_positions_decide_where_nodes_lie(multicut, problem, problem_file, tmp_path):
    points = tmp_path / "points.npy"
    pictures = []
    for seed in (0, 1):
        np.save(points, np.random.default_rng(seed).random((problem.num_nodes, 2)))
        picture = tmp_path / f"{seed}.png"
        arguments = ("--positions", points, "-o", picture)
        assert multicut("plot", "problem", problem_file, *arguments).code == 0
        pictures.append(picture.read_bytes())
    assert pictures[0] != pictures[1]


@pytest.mark.parametrize("suffix", [".npy", ".csv", ".json"])
def test_solution_from_saved_labels(multicut, problem, problem_file, tmp_path, suffix):
    labels = tmp_path / f"labels{suffix}"
    result = mc.solve(problem, "gaec")
    result.save(labels)
    arguments = ("--labels", labels, "-o", tmp_path / "x.png")
    outcome = multicut("plot", "solution", problem_file, *arguments)
    assert outcome.code == 0
    told = f"Drawn {result.num_clusters} clusters, objective {result.objective:,.10g}"
    assert told in outcome.stderr


def test_solution_of_a_solver(multicut, problem, problem_file, tmp_path):
    arguments = ("--solver", "klj", "-o", tmp_path / "x.svg")
    outcome = multicut("plot", "solution", problem_file, *arguments)
    assert f"objective {mc.solve(problem, 'klj').objective:,.10g}" in outcome.stderr
    assert "<svg" in (tmp_path / "x.svg").read_text()


def test_trace(multicut, problem, problem_file, tmp_path):
    arguments = ("--solver", "gaec, fusion", "--bound", "-o", tmp_path / "x.png")
    outcome = multicut("plot", "trace", problem_file, *arguments)
    best = mc.solve(problem, "fusion").objective
    assert f"the best is fusion with {best:,.10g}" in outcome.stderr
    assert is_drawn(tmp_path / "x.png")


def test_embedding(multicut, problem_file, tmp_path):
    for model in ("gcn_w_bn-irismp", "universal"):
        arguments = ("--model", model, "-o", tmp_path / "x.png")
        outcome = multicut("plot", "embedding", problem_file, *arguments)
        assert f"Drawn 150 embeddings of {model}" in outcome.stderr


def test_embedding_with_must_links():
    from multicut.solvers.gnn.embedding import embed_nodes

    problem = mc.Problem([[0, 1], [1, 2], [2, 3]], [np.inf, -1.0, 2.0])
    states, labels = embed_nodes("gcn_w_bn-irismp", problem)
    assert len(states) == len(labels) == 4
    assert np.array_equal(states[0], states[1])
    assert labels[0] == labels[1]


def test_segmentation(multicut, tmp_path):
    image = np.zeros((40, 60, 3), dtype=np.uint8)
    image[:, 30:] = (220, 40, 40)
    mc.vision.write_image(tmp_path / "image.png", image)
    outcome = multicut("plot", "segmentation", tmp_path / "image.png", "-o", tmp_path / "x.png")
    found = mc.vision.segment(image, preset="paper")
    told = f"Drawn {found.num_segments} segments of {found.graph.num_regions} superpixels"
    assert told in outcome.stderr
    assert is_drawn(tmp_path / "x.png")


def test_frontier(multicut, tmp_path):
    results = tmp_path / "frontier.json"
    results.write_text(json.dumps(FRONTIER))
    arguments = ("--family", "randommp", "-o", tmp_path / "x.png")
    outcome = multicut("plot", "frontier", results, *arguments)
    assert outcome.code == 0
    assert "Drawn 2 points" in outcome.stderr
    results.write_text(json.dumps([["gaec", 0.1, 0.9], ["klj", 0.2, 0.95, "klj"]]))
    assert multicut("plot", "frontier", results, "-o", tmp_path / "x.png").code == 0


@pytest.mark.parametrize(
    ("content", "arguments", "message"),
    [
        ("nothing", (), "not a JSON file"),
        ("{}", (), "not what multicut bench frontier writes"),
        ("[1, 2]", (), "not what multicut bench frontier writes"),
        ("[]", (), "points must not be empty"),
        ('[["a", 1, 2]]', (), "ratio of 'a' must lie between 0 and 1"),
        (json.dumps(FRONTIER), (), "choose one with --family; it holds randommp, irismp"),
        (json.dumps(FRONTIER), ("--family", "x"), "--family x; it holds randommp, irismp"),
        ('[["a", 1, 1]]', ("--family", "x"), "--family x:"),
    ],
)
def test_wrong_results_of_a_frontier(multicut, tmp_path, content, arguments, message):
    (tmp_path / "r.json").write_text(content)
    arguments = (*arguments, "-o", tmp_path / "x.png")
    outcome = multicut("plot", "frontier", tmp_path / "r.json", *arguments)
    assert (outcome.code, outcome.stderr.count("\n")) == (2, 1)
    assert message in outcome.stderr


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("node,label\n0,1\n", "l.csv", "there is no label for node 1"),
        ("a,b\n", "l.csv", "the first line must be node,label"),
        ("node,label\n0,x\n", "l.csv", "line 2 must be a node and a whole number"),
        ("{}", "l.json", "it is not what multicut solve -o writes"),
        ("0", "l.txt", "must end in .npy, .csv or .json"),
        ("0", "l.npy", "is not an array of numbers"),
    ],
)
def test_wrong_labels(multicut, problem_file, tmp_path, content, name, message):
    (tmp_path / name).write_text(content)
    arguments = ("--labels", tmp_path / name, "-o", tmp_path / "x.png")
    outcome = multicut("plot", "solution", problem_file, *arguments)
    assert outcome.code == 2
    assert message in outcome.stderr.splitlines()[-1]
    assert outcome.stderr.splitlines()[-1].startswith("error: --labels")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("problem FILE -o x.doc", "--output must end in one of"),
        ("problem none.txt -o x.png", "none.txt"),
        ("problem FILE -o x.png --positions p.csv", "--positions must be a .npy file"),
        ("problem FILE -o x.png --positions none.npy", "none.npy: no such file"),
        ("problem FILE -o x.png --positions three.npy", "--positions three.npy: positions must"),
        ("solution FILE -o x.png --labels a.npy --solver gaec", "use only one of them"),
        ("solution FILE -o x.png --labels none.csv", "--labels none.csv: No such file"),
        ("solution FILE -o x.png --solver best", "unknown solver 'best'"),
        ("trace FILE -o x.png --solver gaec,gaec", "each solver once"),
        ("trace FILE -o x.png --solver gaec,", "unknown solver ''"),
        ("embedding FILE -o x.png --model best", "unknown model 'best'"),
        ("segmentation none.png -o x.png", "none.png"),
        ("segmentation FILE -o x.png", "unknown kind of file"),
        ("segmentation sample:coffee -o x.png --bias 1", "bias must be between 0 and 1"),
        ("segmentation sample:coffee -o x.png --preset x", "unknown preset 'x'"),
        ("frontier none.json -o x.png", "none.json"),
    ],
)
def test_one_line_for_each_mistake(multicut, problem_file, tmp_path, monkeypatch, command, message):
    monkeypatch.chdir(tmp_path)
    np.save("three.npy", np.zeros((3, 2)))
    words = [problem_file if word == "FILE" else word for word in command.split()]
    outcome = multicut("plot", *words)
    assert outcome.code == 2
    assert message in outcome.stderr.splitlines()[-1]
    assert sum(line.startswith("error:") for line in outcome.stderr.splitlines()) == 1
    assert not (tmp_path / "x.png").exists()
