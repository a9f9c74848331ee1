from __future__ import annotations

import pytest

import multicut as mc
from multicut.benchmark.cache import Cache
from multicut.models import registry
from paper.table2 import processor as table2
from paper.table2 import rows as table2_rows
from paper.table2.device import ENTRANTS
from tests.networks import save_small_model
from tests.paper.pages import rows_of


def test_the_table_holds_what_was_measured(settings):
    table2.measure(settings)
    section = table2_rows.render(settings)
    optimum = mc.solve(mc.datasets.randommp(60, seed=0), "ilp").objective
    (row,) = rows_of(section.lines, "`ilp`", "cpu")
    assert row[1].endswith(f" / {optimum:,.0f}")
    # The published numbers are of 10 nodes; there are none of 60.
    assert ["11 / -30", ""] in rows_of(section.lines, "published", "")
    records = {(r["solver"], r["num_nodes"]): r for r in section.tables["table2"]}
    assert records["ilp", 60]["objective"] == pytest.approx(optimum)
    assert records["ilp", 60]["published_objective"] is None
    assert records["lp", 10]["published_seconds"] == 0.006
    assert not records["lp", 10]["published_out_of_time"]
    assert records["gnn", 10]["device"] == "cpu"


def test_a_second_run_measures_nothing(settings, monkeypatch):
    table2.measure(settings)
    before = (settings.cache / "table2.json").read_bytes()

    def fail(*_, **__):
        raise AssertionError("measured again")

    monkeypatch.setattr(table2, "solve", fail)
    monkeypatch.setattr(table2, "network_cell", fail)
    table2.measure(settings)
    assert (settings.cache / "table2.json").read_bytes() == before


def test_new_weights_are_measured_again(settings):
    table2.measure(settings)
    save_small_model(registry.WEIGHTS, "gcn_w_bn-general", seed=1)
    table2.measure(settings)
    cells = Cache(settings.cache / "table2.json").cells
    assert sum(key.startswith("gcn_w_bn-general") for key in cells) == 2 * len(settings.sizes)


def test_out_of_time_is_said(settings):
    store = settings.open_cache("table2")
    key = "ilp, 10 nodes, at most 20 s"
    store.get(key, lambda: {"seconds": 20.0, "objective": -31.4, "out_of_time": True})
    (row,) = rows_of(table2_rows.render(settings).lines, "`ilp`", "cpu")
    assert row[0] == "out of time / -31"


@pytest.mark.parametrize("full", [10, 60])
def test_what_does_not_fit_into_memory_is_said(settings, full):
    store = settings.open_cache("table2-cuda")
    (entrant,) = [e for e in ENTRANTS if (e.solver, e.setting) == ("learned", "balanced")]
    for size in settings.sizes:
        cell = {"num_edges": 9, "seconds": 1.0, "objective": -1.0, "out_of_time": False}
        if size == full:
            cell = {"num_edges": 9, "out_of_memory": True}
        store.put(entrant.key(size), cell)
    section = table2_rows.render(settings)
    (row,) = rows_of(section.lines, "`learned`, balanced", "cuda")
    assert row[settings.sizes.index(full)] == "out of memory"


def _put_gpu_time(settings, size, seconds, objective):
    store = settings.open_cache("table2-cuda")
    cell = {"seconds": seconds, "transfer_seconds": 0.25 * seconds, "forward_seconds": seconds / 2}
    store.put(table2.gpu_key(size), cell | {"objective": objective, "out_of_time": False})


def test_gaec_gets_the_time_of_the_network_on_a_gpu(settings):
    _put_gpu_time(settings, 10, 5.0, -1.0)
    _put_gpu_time(settings, 60, 1e-9, -1e6)
    table2.measure(settings)
    section = table2_rows.render(settings)
    problem = mc.datasets.randommp(60, seed=0)
    stopped = mc.solve(problem, "gaec", 0.0).objective
    records = {
        record["num_nodes"]: record
        for record in section.tables["table2"]
        if record["solver"] == "gaec-bounded-by-gpu"
    }
    whole = mc.solve(mc.datasets.randommp(10, seed=0), "gaec").objective
    assert records[10]["objective"] == pytest.approx(whole)
    assert not records[10]["out_of_time"]
    assert records[60]["objective"] == pytest.approx(stopped)
    assert records[60]["time_limit"] == 1e-9
    (row,) = rows_of(section.lines, "`gaec-bounded-by-gpu`", "cpu")
    assert row[1] == f"stopped after 1e-06 / {stopped:,.0f}"
    text = " ".join("\n".join(section.lines).split())
    assert "On 10 nodes GAEC comes to its end in that time, with a better objective." in text
    assert (
        f"On 60 nodes GAEC is stopped at {stopped:,.0f}, where the network reaches -1,000,0" in text
    )
    assert "On 60 nodes it has contracted nothing by then." in text


def test_the_share_of_rounding_is_of_records(settings):
    for size in settings.sizes:
        _put_gpu_time(settings, size, 0.5, -1.0)
    section = table2_rows.render(settings)
    records = [r for r in section.tables["table2"] if (r["solver"], r["device"]) == ("gnn", "cuda")]
    assert [record["share_of_rounding"] for record in records] == [0.25, 0.25]
    text = " ".join("\n".join(section.lines).split())
    assert "25 % to 25 % on cuda, 25 % at 60 nodes" in text


def test_it_is_said_on_which_graphs_the_network_was_selected(settings):
    text = " ".join("\n".join(table2_rows.render(settings).lines).split())
    assert "selected on validation graphs of its own training set" in text
