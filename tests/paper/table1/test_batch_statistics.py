from __future__ import annotations

import pytest

import multicut as mc
from multicut.models.registry import find_model
from multicut.nn import adapt
from paper.section import Section
from paper.table1 import batch_statistics, reasons
from paper.table1.entries import Row
from tests.paper.pages import rows_of

_NAME = "gcn_w_bn-randommp"


def test_statistics_are_those_of_validation_graphs(settings):
    record = find_model(_NAME)
    batch_statistics.measure(settings, [record])
    cells = settings.open_cache(batch_statistics.PART).cells
    found = cells[batch_statistics.adapted_key(settings, record, "IrisMP")]
    validation = list(mc.datasets.IrisMP("valid")[: found["num_graphs"]])
    model = adapt(mc.load_model(_NAME), validation)
    graphs = mc.datasets.IrisMP("test")[:3]
    assert found["ratio"] == reasons.ratios_by_bias(model, graphs, [0.0])[0.0]


def test_networks_without_batch_normalisation_are_left_out(settings):
    batch_statistics.measure(settings, [find_model("universal")])
    assert not settings.open_cache(batch_statistics.PART).cells


def test_both_families_are_shown_and_summed_up(settings):
    record = find_model(_NAME)
    store = settings.open_cache(batch_statistics.PART)
    for test_set, value in (("IrisMP", 0.97), ("RandomMP", 0.91)):
        key = batch_statistics.adapted_key(settings, record, test_set)
        store.put(key, {"ratio": value, "num_graphs": 3})
    cells = {"IrisMP": {"ratio": 0.9}, "RandomMP": {"ratio": 0.92}}
    section = Section()
    rows = [Row(_NAME, 0.0, cells, record=record), Row("gaec", None, cells)]
    batch_statistics.write_batch_statistics(section, settings, rows)
    assert rows_of(section.lines, f"`{_NAME}`") == [["0.9200", "0.9100", "0.9000", "0.9700"]]
    own, other = section.tables["batch_statistics"]
    assert (own["is_own_family"], other["is_own_family"]) == (True, False)
    assert other["adapted_ratio"] == pytest.approx(0.97)
    text = " ".join(" ".join(section.lines).split())
    assert "anew on 3 validation graphs" in text
    assert "a network was not trained on, ratios change by +0.0700 (`gcn_w_bn-randommp`) to" in text
    assert "a network was trained on, ratios change by -0.0100 (`gcn_w_bn-randommp`) to" in text
    empty = Section()
    batch_statistics.write_batch_statistics(empty, settings, [Row("gaec", None, cells)])
    assert not empty.lines
