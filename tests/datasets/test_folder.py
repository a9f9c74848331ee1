"""Folders are read like files with many problems."""

from __future__ import annotations

import numpy as np
import pytest

import multicut as mc
from multicut.datasets import Dataset, LabelledProblem
from multicut.io import open_file


@pytest.fixture
def dataset(tmp_path):
    graphs = mc.datasets.generate("irismp", 4, start=3).label("ilp", num_workers=1)
    graphs.save(tmp_path / "set")
    return graphs


def test_one_problem_of_a_dataset(dataset, tmp_path):
    for instance in (2, -2, "2", "irismp-train-5"):
        problem = mc.read(tmp_path / "set", instance=instance)
        assert isinstance(problem, LabelledProblem)
        assert problem == dataset[2]
        assert problem.name == "irismp-train-5"
        assert problem.objective == dataset.objective[2]
        np.testing.assert_array_equal(problem.cut, dataset[2].cut)


def test_all_problems_of_a_dataset(dataset, tmp_path):
    problems = mc.read_all(str(tmp_path / "set"))
    assert list(problems) == dataset.names
    assert list(problems.values()) == list(dataset)
    opened = mc.io.open_file(tmp_path / "set")
    assert (opened.format_name, opened.path) == ("dataset", tmp_path / "set")


def test_the_choice_is_asked_for(dataset, tmp_path):
    with pytest.raises(mc.io.FormatError, match=r"set: holds 4 problems \(irismp-train-3, "):
        mc.read(tmp_path / "set")
    with pytest.raises(mc.io.FormatError, match="contains no problem 'x', but 4"):
        mc.read(tmp_path / "set", instance="x")
    dataset[:1].save(tmp_path / "one")
    assert mc.read(tmp_path / "one") == dataset[0]


def test_names_that_occur_twice_are_numbered(tmp_path):
    triangle = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    pair = mc.Problem([[0, 1]], [-1.0])
    arrays = Dataset.from_problems([triangle, pair, pair]).arrays()
    Dataset(arrays, names=["a", "a", "a (2)"]).save(tmp_path / "set")
    problems = mc.read_all(tmp_path / "set")
    assert list(problems) == ["a", "a (2)", "a (2) (2)"]
    assert [problem.num_nodes for problem in problems.values()] == [3, 2, 2]


def test_files_in_a_folder_keep_their_node_ids(tmp_path):
    (tmp_path / "graph10.txt").write_text("7 30 1.5\n")
    (tmp_path / "graph2.txt").write_text("5 20 -2\n5 21 1\n")
    (tmp_path / "notes.md").write_text("nothing to solve")
    mc.io.write_all(
        {"x": mc.Problem([[0, 1]], [1]), "y": mc.Problem([[0, 1]], [2])}, tmp_path / "z.npz"
    )
    problems = mc.read_all(tmp_path)
    assert list(problems) == ["graph2.txt", "graph10.txt", "z.npz/x", "z.npz/y"]
    assert list(problems) == mc.datasets.open_dataset(tmp_path).names
    assert problems["graph10.txt"].node_ids.tolist() == [7, 30]
    assert mc.read(tmp_path, instance=3).costs.tolist() == [2.0]


def test_mistakes(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no file matches '\*'"):
        mc.read(tmp_path)
    (tmp_path / "a.txt").write_text("0 1 1\n")
    with pytest.raises(ValueError, match="is a folder, which has no format; omit 'edges'"):
        mc.read(tmp_path, format="edges")
    # Where files are not trusted, there are no folders.
    with pytest.raises(IsADirectoryError):
        mc.io.open_file(tmp_path, limits=mc.io.ReadLimits(max_bytes=1000))


def test_a_folder_has_no_format_of_its_own(tmp_path):
    problem = mc.datasets.randommp(20, seed=0)
    mc.write(problem, tmp_path / "a.csv")
    opened = open_file(tmp_path)
    assert (opened.format_name, opened.format) == ("folder", None)
    assert open_file(tmp_path / "a.csv").format.name == "edges"
