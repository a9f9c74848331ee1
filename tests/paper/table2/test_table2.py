from __future__ import annotations

import pytest

import multicut as mc
from multicut.benchmark.cache import Cache
from multicut.models import registry
from paper.table2 import processor as table2
from paper.table2 import rows as table2_rows
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
