from __future__ import annotations

import pytest

from multicut.benchmark.paper.comparisons import control_of, differing_in
from multicut.benchmark.paper.curves import name_of_run, read_runs
from tests.benchmark.paper.runs import write_run

ROWS = [(100, 0.0, 0.0, 0.8), (200, 0.1, 0.0, 0.9)]


def names(groups):
    return [[run.name for run in group] for group in groups]


def test_runs_are_grouped_by_all_that_is_not_studied(tmp_path):
    write_run(tmp_path, "a", ROWS, network={"depth": 3})
    write_run(tmp_path, "b", ROWS, network={"depth": 5})
    write_run(tmp_path, "c", ROWS, network={"depth": 7}, seed=1)
    write_run(tmp_path, "d", ROWS, network={"depth": 9}, decay="cosine", planned_instances=900)
    runs = read_runs(tmp_path).values()
    # Of groups of one size, the one with longer runs is first.
    assert names(differing_in(runs, "depth")) == [["a", "b"], ["d"], ["c"]]
    assert names(differing_in(runs, "depth", "seed")) == [["a", "b", "c"], ["d"]]


def test_what_is_not_recorded_was_as_by_default(tmp_path):
    write_run(tmp_path, "old", ROWS)
    write_run(tmp_path, "new", ROWS, decay="none", clip=0.0, warm_up=0, ccl_reduction="graph")
    assert names(differing_in(read_runs(tmp_path).values())) == [["new", "old"]]


def test_the_control_differs_in_ccl_alone(tmp_path):
    write_run(tmp_path, "with", ROWS, alpha=0.01)
    write_run(tmp_path, "other-seed", ROWS, seed=1)
    write_run(tmp_path, "other-decay", ROWS, decay="cosine")
    write_run(tmp_path, "stopped-early", ROWS, alpha=0.003, instances=150, planned_instances=200)
    runs = read_runs(tmp_path)
    assert control_of(runs["with"], runs.values()) is None
    write_run(tmp_path, "control", ROWS, alpha_start=0, alpha_ramp=7)
    runs = read_runs(tmp_path)
    assert control_of(runs["with"], runs.values()) is runs["control"]
    assert control_of(runs["stopped-early"], runs.values()) is runs["control"]


def test_a_run_whose_ccl_never_began_is_one_without(tmp_path):
    write_run(tmp_path, "with", ROWS, alpha=0.01)
    write_run(tmp_path, "never", ROWS, alpha=0.01, alpha_start=1000)
    runs = read_runs(tmp_path)
    assert runs["never"].alpha == 0
    assert control_of(runs["with"], runs.values()) is runs["never"]


@pytest.mark.parametrize(
    "model",
    ["runs/a-0.003/model", "runs/a-0.003/model.safetensors", "/far/a-0.003.safetensors", "a-0.003"],
)
def test_names_of_runs(model):
    assert name_of_run(model) == "a-0.003"


def test_no_name():
    assert name_of_run("") == ""
    assert name_of_run("model") == "model"
