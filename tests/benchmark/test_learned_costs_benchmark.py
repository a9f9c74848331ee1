"""benchmarks/learned_costs.py keeps what each seed scores, and measures only what is missing."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks import learned_costs

SCORES = {"edge by edge": {"components": 0.5, "klj": 0.25}}


@pytest.fixture
def runs(monkeypatch, tmp_path):
    """Replace the example; return the arguments of its runs."""
    runs: list[dict] = []

    def run(**arguments):
        runs.append(arguments)
        return SCORES

    monkeypatch.setattr(learned_costs.learn_costs, "main", run)
    monkeypatch.setattr(learned_costs.torch, "set_num_threads", lambda _number: None)
    monkeypatch.setattr(sys, "argv", ["", "--output", str(tmp_path)])
    return runs


def test_all_rows_run_with_all_seeds_and_other_settings_with_fresh_ones(runs, tmp_path):
    learned_costs.main()
    assert [run["seed"] for run in runs if run.get("compare")] == list(range(10))
    for changed in ({"epochs": 40}, {"num_nearest": 5}, {"texture_inside": True}):
        seeds = [run["seed"] for run in runs if run.items() >= changed.items()]
        assert seeds == [5, 6, 7, 8, 9]
    cells = json.loads((tmp_path / "learned_costs.json").read_text(encoding="utf-8"))
    assert cells.pop("environment")["command"] == "python -m benchmarks.learned_costs"
    assert len(cells) == len(runs) == 25
    assert cells["40 epochs, seed 6"]["scores"] == SCORES
    assert cells["40 epochs, seed 6"]["arguments"] == {"epochs": 40}


def test_a_stopped_run_goes_on_with_what_is_missing(runs, tmp_path):
    learned_costs.main()
    path = tmp_path / "learned_costs.json"
    cells = json.loads(path.read_text(encoding="utf-8"))
    del cells["all rows, seed 1"]
    path.write_text(json.dumps(cells), encoding="utf-8")
    runs.clear()
    learned_costs.main()
    assert runs == [{"seed": 1, "compare": True}]


def test_settings_are_arguments_of_the_example(capsys):
    cell = learned_costs.measure(
        0, {"num_train": 8, "num_test": 3, "epochs": 1} | learned_costs.SETTINGS["5 neighbours"]
    )
    assert set(cell["scores"]["expected loss, klj"]) == {"components", "gaec", "klj"}
    assert cell["processor_seconds"] > 0
    assert "3 held-out graphs" in capsys.readouterr().out
