from __future__ import annotations

import json
from dataclasses import replace

import pytest

import multicut as mc
from multicut.benchmark.contests import peer_is_installed
from multicut.benchmark.frontier import (
    Family,
    FrontierSettings,
    find_families,
    measure,
    measure_family,
    write_page,
)
from multicut.benchmark.frontier.entrants import list_entrants, list_limited
from multicut.benchmark.frontier.points import Point, mark_front, read_family
from multicut.benchmark.markdown import milliseconds
from multicut.models import registry
from tests.networks import save_small_model, small_contraction_network
from tests.problems import random_problem


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Few small graphs, small networks under the names of the defaults."""
    weights = tmp_path / "weights"
    save_small_model(weights, registry.DEFAULT_MODEL)
    mc.save_model(small_contraction_network(), weights / registry.UNIVERSAL_MODEL, {})
    monkeypatch.setattr(registry, "WEIGHTS", weights)
    return FrontierSettings(
        output=tmp_path / "page",
        cache=tmp_path / "cache",
        num_graphs=3,
        num_limited=2,
        time_limit=20.0,
        limits=(0.05, 0.1),
    )


@pytest.fixture
def family():
    problems = [random_problem(10, 0.6, seed) for seed in range(3)]
    return Family("tiny", "random graphs", lambda: mc.datasets.Dataset.from_problems(problems))


def point(name: str, seconds: float, ratio: float) -> Point:
    return Point(name, name, seconds, ratio, ratio, 0, 0, 0)


def test_every_family_is_there(settings, tmp_path):
    names = [each.name for each in find_families(settings)]
    assert names == [record.name for record in mc.datasets.list_generators(lifted=False)]
    (tmp_path / "em").mkdir()
    mc.write(random_problem(8, 0.5, seed=0), tmp_path / "em" / "CREMI-C_test.npz")
    assert [each.name for each in find_families(replace(settings, data=tmp_path))] == [
        *names,
        "cremi-c",
    ]
    large = next(
        each for each in find_families(replace(settings, large=50)) if each.name == "scaling"
    )
    assert [graph.num_nodes for graph in large.load()] == [50]


def test_every_solver_takes_part(settings):
    entrants = list_entrants(settings)
    ours = {entrant.solver for entrant in entrants if not entrant.peer}
    assert ours == {record.name for record in mc.list_solvers() if record.minimises}
    peers = {entrant.solver for entrant in entrants if entrant.peer}
    assert peers == ({"gaec", "klj", "fusion"} if peer_is_installed() else set())
    assert not any(entrant.in_batch for entrant in entrants)
    assert len({entrant.key for entrant in entrants}) == len(entrants)
    on_device = [e for e in list_entrants(replace(settings, device="cuda")) if e.in_batch]
    assert {entrant.group for entrant in on_device} == {"gnn (cuda)", "learned (cuda)"}
    assert not any(e.peer for e in list_entrants(replace(settings, with_peer=False)))


def test_the_front():
    points = [point("b", 2.0, 0.9), point("c", 3.0, 0.8), point("a", 1.0, 0.5), point("d", 4, 1.0)]
    marked = mark_front(points)
    assert [each.name for each in marked] == ["a", "b", "c", "d"]
    assert [each.on_front for each in marked] == [True, True, False, True]


def test_what_was_measured_is_what_is_told(settings, family):
    measure_family(settings, family)
    result = read_family(settings, family)
    points = {each.name: each for each in result.points}
    problems = list(family.load())
    optima = [mc.solve(problem, "ilp").objective for problem in problems]
    greedy = [mc.solve(problem, "gaec").objective for problem in problems]
    expected = sum(g / o for g, o in zip(greedy, optima, strict=True)) / 3
    assert points["gaec"].ratio == pytest.approx(expected)
    assert points["ilp"].ratio == pytest.approx(1)
    assert points["ilp"].num_proven == points["auto"].num_proven == result.num_proven == 3
    assert points["auto"].ratio == pytest.approx(1)
    assert result.num_nodes == 10
    for name, each in points.items():
        assert 0 <= each.ratio <= 1 + 1e-9
        assert each.seconds > 0
        # A short time limit may stop even gaec.
        if name.startswith(("learned", "klj", "fusion", "gaec")) or name == "auto":
            assert each.num_below == 0, name
    assert set(result.limited) == {0.05, 0.1}
    for limit, limited in result.limited.items():
        assert {each.name for each in limited} == {e.name for e in list_limited(settings, limit)}


def test_a_second_run_measures_nothing(settings, family, monkeypatch):
    measure_family(settings, family)
    before = (settings.cache / "tiny.json").read_bytes()

    def fail(*_args, **_kwargs):
        raise AssertionError("measured again")

    monkeypatch.setattr(measure, "_measure", fail)
    measure_family(settings, family)
    assert (settings.cache / "tiny.json").read_bytes() == before


def test_a_stopped_run_goes_on_where_it_was(settings, family, monkeypatch):
    complete = measure._measure
    done = []

    def stop_at_klj(entrant, load):
        if entrant.name == "klj":
            raise KeyboardInterrupt
        done.append(entrant.name)
        return complete(entrant, load)

    monkeypatch.setattr(measure, "_measure", stop_at_klj)
    with pytest.raises(KeyboardInterrupt):
        measure_family(settings, family)
    assert [each.name for each in read_family(settings, family).points if each.name in done]
    seen = []

    def note(entrant, load):
        seen.append(entrant.name)
        return complete(entrant, load)

    monkeypatch.setattr(measure, "_measure", note)
    measure_family(settings, family)
    assert seen[0] == "klj"
    assert read_family(settings, family).points


def test_batches_are_solved_in_one_call(settings, family):
    (entrant,) = [
        each
        for each in list_entrants(replace(settings, device="cuda"))
        if each.name.startswith("learned, fast,") and each.in_batch
    ]
    entrant = replace(entrant, options={**entrant.options, "device": "cpu"})
    graphs = [measure.EdgeArrays.of(problem) for problem in family.load()]
    cell = measure._measure(entrant, lambda: graphs)
    problems = list(family.load())
    expected = mc.solve_batch(problems, "learned", **entrant.options)
    assert cell["objectives"] == pytest.approx([result.objective for result in expected])
    assert cell["seconds_per_graph"] > 0


def test_too_large_graphs_are_left_out(settings, family):
    entrant = replace(list_entrants(settings)[0], max_edges=3)
    graphs = [measure.EdgeArrays.of(problem) for problem in family.load()]
    assert measure._measure(entrant, lambda: graphs) == {"objectives": None}


def test_page(settings, family, monkeypatch):
    monkeypatch.setattr(
        "multicut.benchmark.frontier.page.find_families", lambda _settings: [family]
    )
    measure_family(settings, family)
    written = write_page(settings, "a command")
    text = written.read_text()
    result = read_family(settings, family)
    points = {each.name: each for each in result.points}
    for each in result.points:
        name = f"**{each.name}**" if each.on_front else each.name
        assert f"| {name} | " in text
    assert "| family | auto, 0.05 s | best, 0.05 s | auto, 0.1 s | best, 0.1 s |" in text
    assert f"| tiny | 1.00000, {milliseconds(points['auto'].seconds)} ms | 3 of 3 |" in text
    assert "3 graphs, 10 nodes" in text
    assert "3 optima proven" in text
    summary = text[text.index("## Summary") : text.index("## `auto`")]
    (learned,) = [line for line in summary.splitlines() if line.startswith("| learned, fast |")]
    assert "| 0.0% |" in learned
    assert (written.parent / "images" / "frontier-tiny.png").stat().st_size > 1000
    stored = json.loads(written.with_suffix(".json").read_text())
    assert stored["environment"]["command"] == "a command"
    (tiny,) = stored["families"]
    assert len(tiny["points"]) == len(result.points)
    assert tiny["points"][0]["ratio"] == result.points[0].ratio


def test_nothing_measured_is_an_empty_page(settings):
    written = write_page(settings, "a command")
    assert "## Summary" in written.read_text()


def test_a_large_graph_of_another_size_is_measured_anew(settings):
    def scaling(num_nodes):
        sized = replace(settings, large=num_nodes)
        return sized, next(each for each in find_families(sized) if each.name == "scaling")

    sized, family = scaling(40)
    measure_family(replace(sized, limits=(), with_peer=False), family)
    assert read_family(sized, family).num_nodes == 40
    sized, family = scaling(60)
    assert read_family(sized, family) is None
