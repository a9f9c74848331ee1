from __future__ import annotations

import pytest

from paper.runs.comparisons import control_of, differing_in, start_of
from paper.runs.curves import name_of_run, read_runs
from paper.runs.validation_sets import easier_sets, validated_on
from tests.paper.made_runs import write_run

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


def test_the_start_of_a_run_is_known_on_the_same_graphs_only(tmp_path):
    write_run(tmp_path, "start", [(100, 0.0, 0.0, 0.9), (200, 0.1, 0.0, 0.8)])
    start = {"started_from": "start"}
    write_run(tmp_path, "same", ROWS, **start)
    write_run(tmp_path, "longer-cycles", ROWS, max_cycle_length=5, **start)
    write_run(tmp_path, "fewer", ROWS, num_validation=100, **start)
    write_run(tmp_path, "mixture", ROWS, validation={"irismp": 1, "randommp": 1}, **start)
    write_run(tmp_path, "old-record", ROWS, before=0.7, **start)
    measured = {"objective_ratio": 0.6, "ccl": None}
    write_run(tmp_path, "measured", ROWS, before=measured, num_validation=100, **start)
    runs = read_runs(tmp_path)
    best = runs["start"].rows[0]
    assert start_of(runs["same"], runs) == start_of(runs["old-record"], runs) == best
    without_cycles = {name: value for name, value in best.items() if name != "ccl"}
    assert start_of(runs["longer-cycles"], runs) == without_cycles
    assert start_of(runs["fewer"], runs) is None
    assert start_of(runs["mixture"], runs) is None
    assert start_of(runs["measured"], runs) == {"objective_ratio": 0.6}
    assert start_of(runs["start"], runs) is None
    ratios = {name: runs[name].ratio_before for name in ("same", "old-record", "measured")}
    assert ratios == {"same": None, "old-record": 0.7, "measured": 0.6}


def test_what_graphs_a_run_was_validated_on(tmp_path):
    validations = {
        "RandomMP": "randommp",
        "IrisMP (easier) + RandomMP": {"irismp": 2, "randommp": 2},
        "0.3 IrisMP (easier) + 0.7 own/graphs": {"irismp": 0.3, "own/graphs": 0.7},
    }
    for index, validation in enumerate(validations.values()):
        write_run(tmp_path, f"{index}", ROWS, validation=validation)
    runs = list(read_runs(tmp_path).values())
    assert list(map(validated_on, runs)) == list(validations)
    assert list(map(easier_sets, runs)) == [[], ["IrisMP"], ["IrisMP"]]


@pytest.mark.parametrize(
    "model",
    ["runs/a-0.003/model", "runs/a-0.003/model.safetensors", "/far/a-0.003.safetensors", "a-0.003"],
)
def test_names_of_runs(model):
    assert name_of_run(model) == "a-0.003"


def test_no_name():
    assert name_of_run("") == ""
    assert name_of_run("model") == "model"
