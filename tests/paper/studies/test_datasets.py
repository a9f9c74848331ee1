"""Statistics of datasets: our splits beside the published ones."""

from __future__ import annotations

import pytest

import multicut as mc
from multicut.datasets import PUBLISHED, RandomMP, describe_dataset
from paper.evaluation_sets import find_sets
from paper.section import Section
from paper.studies import datasets, randommp_costs
from tests.paper.pages import rows_of


@pytest.fixture(scope="module")
def cells():
    (random,) = [chosen for chosen in find_sets(None) if chosen.name == "RandomMP"]
    (iris,) = [chosen for chosen in find_sets(None) if chosen.name == "IrisMP"]
    return [
        datasets._described(random),
        datasets._described_split("RandomMP", "valid"),
        datasets._described(iris),
        {**datasets._described(random), "set": "CREMI", "is_stand_in": True},
    ]


def test_splits_stand_beside_their_published_values(cells):
    section = Section()
    datasets._write_statistics(section, cells)
    records = section.tables["datasets"]
    assert [(each["set"], each["split"]) for each in records] == [
        ("IrisMP", "test"),
        ("RandomMP", "valid"),
        ("RandomMP", "test"),
        ("CREMI", None),
    ]
    assert [each["is_easier"] for each in records] == [True, False, False, False]
    valid = records[1]
    assert valid["statistics"] == describe_dataset(RandomMP("valid")).to_dict()
    assert valid["published"] == PUBLISHED["randommp"]["valid"].to_dict()
    assert records[3]["published"] == PUBLISHED["cremi"]["all"].to_dict()
    assert rows_of(section.lines, "IrisMP (easier)", "test", "1,000")
    assert rows_of(section.lines, "published", "valid", "1,000")[0][-3] == "-0.842"
    assert rows_of(section.lines, "CREMI (stand-in)", "")
    assert not any(line.startswith("The paper has no statistics") for line in section.lines)


def test_a_set_that_the_paper_does_not_describe_is_told_of(cells):
    section = Section()
    datasets._write_statistics(section, [*cells, {**cells[3], "set": "Knott"}])
    assert section.tables["datasets"][-1]["published"] is None
    assert "The paper has no statistics of Knott." in section.lines


def test_published_graphs_come_before_stand_ins(settings):
    store = settings.open_cache(datasets.PART)
    statistics = describe_dataset(RandomMP("test")[:2]).to_dict()
    for is_stand_in, kind in ((True, "CREMI (stand-in)"), (False, "CREMI")):
        cell = {"set": "CREMI", "is_stand_in": is_stand_in, "statistics": statistics}
        store.put(f"statistics of {kind}", cell)
        section = datasets.render(settings)
        records = section.tables["datasets"]
        assert [(each["set"], each["is_stand_in"]) for each in records] == [("CREMI", is_stand_in)]
        assert "The graphs of CREMI are not at hand now: values as stored." in section.lines


def test_all_splits_are_measured(settings, monkeypatch):
    monkeypatch.setattr(datasets, "_described", lambda chosen: {"set": chosen.name})
    described = {}
    monkeypatch.setattr(
        datasets,
        "_described_split",
        lambda name, split: described.setdefault((name, split), {"set": name, "split": split}),
    )
    efforts = []
    monkeypatch.setattr(datasets.search, "measure", lambda *given: efforts.append(given[1]))
    datasets.measure(settings)
    assert set(described) == {(n, s) for n in ("IrisMP", "RandomMP") for s in ("train", "valid")}
    keys = settings.open_cache(datasets.PART).cells
    assert {"statistics of IrisMP", "statistics of IrisMP, train"} <= set(keys)
    assert efforts == [datasets.search.QUICK]


def test_randommp_with_costs_from_distances_stands_beside_the_shipped_one():
    distances = randommp_costs.measure(2)
    graphs = mc.datasets.generate("randommp", 2, split="test", costs="distance")
    optima = [mc.solve(graph, "ilp").objective for graph in graphs]
    ratios = [
        mc.solve(graph, "gaec").objective / best for graph, best in zip(graphs, optima, strict=True)
    ]
    assert distances["gaec"] == pytest.approx(sum(ratios) / 2)
    statistics = distances["statistics"]
    assert statistics["num_optimal"] == 2
    per_edge = [best / graph.num_edges for graph, best in zip(graphs, optima, strict=True)]
    assert statistics["optimum"] == pytest.approx(sum(per_edge) / 2)
    assert statistics["cost_min"]["mean"] == pytest.approx(
        sum(graph.costs.min() for graph in graphs) / 2
    )
    section = Section()
    shipped = describe_dataset(RandomMP("test")).to_dict()
    randommp_costs.write(section, distances, shipped, 0.98)
    assert rows_of(section.lines, "published") == [["-9.390", "9.380", "-0.841", "0.9780"]]
    assert rows_of(section.lines, "from distances")[0][2] == f"{sum(per_edge) / 2:.3f}"
    assert [each["costs"] for each in section.tables["randommp_costs"]] == [
        "published",
        "shipped",
        "from distances",
    ]
    nearer = "The shipped costs are nearer to the published values in all of these columns."
    assert section.lines[-2] == nearer
    randommp_costs.write(section, {**distances, "gaec": 0.978}, shipped, 0.98)
    text = "in 3 of 4 columns: min cost, max cost and optimum."
    assert " ".join(section.lines[-2].split()).endswith(text)
