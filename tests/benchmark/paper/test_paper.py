from __future__ import annotations

import json

import numpy as np
import pytest

import multicut as mc
from multicut.benchmark.cache import Cache
from multicut.benchmark.paper import PARTS, PaperSettings, cycle_study, table1, table2, write_page
from multicut.benchmark.paper.curves import read_runs
from multicut.benchmark.paper.inference import predict
from multicut.benchmark.paper.published import TABLE_1, TEST_SETS
from multicut.benchmark.paper.test_sets import find_sets
from multicut.models import registry
from tests.networks import save_small_model
from tests.problems import random_problem


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Few and small graphs, one small network under the name of the default."""
    weights = tmp_path / "weights"
    save_small_model(weights, "gcn_w_bn-randommp")
    monkeypatch.setattr(registry, "WEIGHTS", weights)
    return PaperSettings(
        output=tmp_path / "page",
        cache=tmp_path / "cache",
        curves=tmp_path / "curves",
        num_graphs=3,
        sizes=(10, 60),
        time_limit=20.0,
    )


def write_run(folder, name, rows, **changes):
    folder.mkdir(exist_ok=True)
    given = {"started_from": "", "alpha": 0.01, "alpha_start": 100, "alpha_ramp": 100}
    (folder / f"{name}.json").write_text(json.dumps(given | {"learning_rate": 0.001} | changes))
    header = "step,instances,bce,ccl,feasible_ratio,optimal_ratio,objective_ratio"
    lines = [f"{i},{n},0.2,50,{feasible},0,{ratio}" for i, (n, feasible, ratio) in enumerate(rows)]
    (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")


def test_published_harmonic_means_are_those_of_the_published_ratios():
    # A slip in copying one of the ratios would show here.
    for name, row in TABLE_1.items():
        assert len(row.ratios) == len(TEST_SETS)
        if row.harmonic_mean is not None:
            found = table1.harmonic_mean([value or 0.0 for value in row.ratios])
            assert found == pytest.approx(row.harmonic_mean, abs=2e-4), name


def test_ratios():
    cell = table1.summarise([-5.0, 1.0, -8.0, 0.0, 3.0], [-10.0, -10.0, -8.0, 0.0, 0.0])
    assert cell["ratio"] == pytest.approx((0.5 + 0 + 1 + 1 + 0) / 5)
    assert cell["num_optimal"] == 2
    expected = np.std([0.5, 0, 1, 1, 0], ddof=1) / np.sqrt(5)
    assert cell["standard_error"] == pytest.approx(expected)
    assert table1.summarise([-1.0], [-2.0])["standard_error"] is None


def test_harmonic_mean():
    assert table1.harmonic_mean([0.5, 1.0]) == pytest.approx(2 / 3)
    assert table1.harmonic_mean([0.5, 0.0]) == 0


def test_what_is_cached_is_not_measured_again(tmp_path):
    calls = []

    def measure():
        calls.append(1)
        return {"value": len(calls)}

    for _ in range(2):
        assert Cache(tmp_path / "part.json").get("a", measure) == {"value": 1}
    assert Cache(tmp_path / "part.json").get("b", measure) == {"value": 2}
    (tmp_path / "part.json").write_text("{")
    with pytest.raises(ValueError, match=r"part.json is no readable cache .*delete it"):
        Cache(tmp_path / "part.json")


def test_predictions_are_those_of_the_solver(tmp_path):
    model = mc.load_model(save_small_model(tmp_path))
    problems = [random_problem(12, 0.5, seed) for seed in range(4)]
    found = predict(model, problems)
    assert len(found.objectives) == 4
    assert 0 < found.forward_seconds <= found.total_seconds
    for problem, value in zip(problems, found.objectives, strict=True):
        result = mc.solve(problem, "gnn", model=model)
        # The solver falls back to a trivial partition where that is better.
        assert result.objective <= value + 1e-4
        if "fallback" not in result.details:
            assert value == pytest.approx(result.objective, abs=1e-4)


def test_tables_hold_what_was_measured(settings):
    table1.measure(settings)
    table2.measure(settings)
    cells = Cache(settings.cache / "table1.json").cells
    graphs = mc.datasets.RandomMP("test")[:3]
    gaec = cells["gaec, RandomMP, 3 graphs, at most 20 s"]
    expected = [mc.solve(graph, "gaec").objective / graph.objective for graph in graphs]
    assert gaec["ratio"] == pytest.approx(np.mean(expected))
    assert cells["ilp, IrisMP, 3 graphs, at most 20 s"]["ratio"] == pytest.approx(1)
    (network,) = [cell for key, cell in cells.items() if key.startswith("gcn_w_bn-randommp")][:1]
    assert 0 <= network["ratio"] <= 1
    page = write_page(settings, "a command").read_text()
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `gaec` ")]
    assert rows[0][4].strip() == f"**{gaec['ratio']:.4f}**"
    assert "| `gt-irismp` | not trained yet |" in page
    assert "BSDS300: not at hand" in page
    optimum = mc.solve(mc.datasets.randommp(60, seed=0), "ilp").objective
    assert f"/ {optimum:,.0f}" in page
    assert page.index("Table 1") < page.index("Table 2") < page.index("Table 3")


def test_a_second_run_measures_nothing(settings, monkeypatch):
    table2.measure(settings)
    before = (settings.cache / "table2.json").read_bytes()

    def fail(*_, **__):
        raise AssertionError("measured again")

    monkeypatch.setattr(table2, "solve", fail)
    monkeypatch.setattr(table2, "_learned", fail)
    table2.measure(settings)
    assert (settings.cache / "table2.json").read_bytes() == before


def test_new_weights_are_measured_again(settings):
    table2.measure(settings)
    save_small_model(registry.WEIGHTS, "gcn_w_bn-randommp", seed=1)
    table2.measure(settings)
    cells = Cache(settings.cache / "table2.json").cells
    assert sum(key.startswith("gcn_w_bn-randommp") for key in cells) == 2 * len(settings.sizes)


def test_out_of_time_is_said(settings):
    store = settings.open_cache("table2")
    key = "ilp, 10 nodes, at most 20 s"
    store.get(key, lambda: {"seconds": 20.0, "objective": -31.4, "out_of_time": True})
    assert "out of time / -31" in "\n".join(table2.render(settings))


def test_stand_ins_are_labelled_and_solved(settings, tmp_path):
    data = tmp_path / "data"
    (data / "em").mkdir(parents=True)
    problem = random_problem(14, 0.4, seed=3)
    mc.write(problem, data / "em" / "CREMI-C_test.npz")
    (chosen,) = [s for s in find_sets(data) if s.name == "CREMI"]
    assert chosen.is_stand_in
    store = settings.open_cache("table1")
    table1._measure_set(settings, store, chosen)
    optimum = mc.solve(problem, "ilp").objective
    cell = store.cells["optima, CREMI (stand-in), 3 graphs, at most 20 s"]
    assert cell["objectives"] == pytest.approx([optimum])
    assert cell["num_proven"] == 1
    assert store.cells["ilp, CREMI (stand-in), 3 graphs, at most 20 s"]["ratio"] == 1


def test_published_files_come_before_stand_ins(tmp_path):
    (tmp_path / "em").mkdir()
    mc.write(random_problem(5, 1.0, seed=0), tmp_path / "em" / "CREMI-C_test.npz")
    (tmp_path / "cremi").mkdir()
    mc.write(random_problem(8, 1.0, seed=1), tmp_path / "cremi" / "a.txt")
    (chosen,) = [s for s in find_sets(tmp_path) if s.name == "CREMI"]
    assert not chosen.is_stand_in
    assert [graph.num_nodes for graph in chosen.load()] == [8]
    assert [s.name for s in find_sets(None)] == ["IrisMP", "RandomMP"]


def test_cycle_study(settings):
    base = [(100, 0.0, 0.8), (200, 0.0, 0.7)]
    write_run(settings.curves, "gcn_w_bn-randommp", base, alpha_start=1000)
    later = [(50, 0.1, 0.85), (150, 0.2, 0.9), (300, 0.4, 0.88)]
    write_run(
        settings.curves, "finetuned", later, started_from="gcn_w_bn-randommp", alpha_start=100
    )
    run = read_runs(settings.curves)["finetuned"]
    assert run.best["instances"] == 150
    assert run.alpha_at(150) == pytest.approx(0.005)
    cycle_study.measure(settings)
    assert settings.picture("cycles").stat().st_size > 1000
    text = "\n".join(cycle_study.render(settings))
    assert "| 0.01 | 0.001 | 0.9000 | 0.005 | 0.8800 | 0.400 |" in text
    assert "0.000 → 0.400" in text
    assert "0.800 → 0.880" in text
    assert "no control run" in text
    write_run(settings.curves, "control", later, started_from="gcn_w_bn-randommp", alpha=0)
    assert "no control run" not in "\n".join(cycle_study.render(settings))


def test_without_curves_the_page_says_so(settings):
    assert "no curves" in cycle_study.render(settings)[0]


def test_pictures(settings):
    PARTS.get("pictures").measure(settings)
    names = sorted(path.name for path in (settings.output / "images").iterdir())
    assert names == [
        *(f"results-embedding-{i}.png" for i in (0, 1, 16, 17)),
        "results-samples-irismp.png",
        "results-samples-randommp.png",
    ]
    assert "images/results-embedding-16.png" in "\n".join(PARTS.get("pictures").render(settings))
