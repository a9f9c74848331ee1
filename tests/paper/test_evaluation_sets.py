"""Which test sets a folder holds."""

from __future__ import annotations

from dataclasses import replace

import pytest

import multicut as mc
from paper import measure_parts
from paper.__main__ import main
from paper.evaluation_sets import find_sets
from tests.paper.imitations import problem, write_published
from tests.problems import random_problem


def test_published_files_come_before_stand_ins(tmp_path):
    (tmp_path / "em").mkdir()
    mc.write(random_problem(5, 1.0, seed=0), tmp_path / "em" / "CREMI-C_test.npz")
    write_published(tmp_path, "cremi")
    (chosen,) = [s for s in find_sets(tmp_path) if s.name == "CREMI"]
    assert not chosen.is_stand_in
    assert chosen.title == "CREMI"
    assert [graph.num_nodes for graph in chosen.load()] == [3, 3, 3]
    assert [s.name for s in find_sets(None)] == ["IrisMP", "RandomMP"]


def test_a_stand_in_does_not_replace_a_part_of_the_published_graphs(tmp_path):
    (tmp_path / "em").mkdir()
    mc.write(random_problem(5, 1.0, seed=0), tmp_path / "em" / "CREMI-C_test.npz")
    write_published(tmp_path, "cremi")[0].unlink()
    with pytest.raises(ValueError, match="CREMI has 3 graphs, got 2"):
        find_sets(tmp_path)


def test_the_command_says_in_one_line_what_is_missing(tmp_path, capsys):
    (tmp_path / "data" / "image-seg").mkdir(parents=True)
    for number in range(3):
        mc.write(problem(number), tmp_path / "data" / "image-seg" / f"{number}.h5", "opengm")
    given = ["-o", tmp_path / "out", "--curves", tmp_path, "--data", tmp_path / "data"]
    assert main([*map(str, given), "--part", "table1"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert "BSDS300 has 100 graphs, got 3 in" in line


def test_a_cache_measured_on_other_published_graphs_is_refused(settings, tmp_path):
    data = tmp_path / "data"
    write_published(data, "cremi")
    measure_parts([], replace(settings, data=data))
    measure_parts([], settings)
    write_published(data, "cremi", seed=1)
    with pytest.raises(ValueError, match=r"CREMI in .* is not what .* was measured on"):
        measure_parts([], replace(settings, data=data))
