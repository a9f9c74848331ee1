"""The search for constants of dual-greedy: what it finds, repeats and refuses."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut._extras import MissingExtraError
from multicut.solvers.dual_greedy import Policy, load_policy
from multicut.training import PolicySettings, SearchedPolicy, search_policy
from multicut.training.policy.families import Family
from multicut.training.policy.settings import default_families

pytest.importorskip("cmaes")

# Looks at costs alone, like gaec, though there is time for much more.
BAD_START = Policy(share=1.0, cost_weight=1.0, triangle_sweeps=0, square_sweeps=0)
SMALL = {
    "families": ("erdos-renyi", "voronoi"),
    "num_graphs": 12,
    "num_validation": 12,
    "generations": 6,
    "population": 6,
    "start": BAD_START,
    "seed": 3,
}


@pytest.fixture(scope="module")
def found() -> SearchedPolicy:
    return search_policy(left_out=["cluster-editing"], budget=4.5, **SMALL)


def test_a_search_finds_better_constants_than_a_bad_start(found):
    score, start = found.card["found"], found.card["start"]
    assert found.card["chosen"] == "found"
    assert found.card["gain"]["validation"] > found.card["gain"]["standard_error"] > 0
    assert score["constants"] == found.policy.to_dict()
    assert start["constants"] == BAD_START.to_dict()
    for part in ("search", "validation", "left_out"):
        assert start[part] > 0.9
        assert score[part] < 0.6 * start[part]
    assert found.policy.triangle_sweeps + found.policy.square_sweeps > 0


def test_constants_keep_to_the_budget(found):
    assert found.card["found"]["work"] <= 4.5
    fast = search_policy(budget=2.0, **SMALL)
    assert fast.card[fast.card["chosen"]]["work"] <= 2.0
    assert fast.card["found"]["search"] > found.card["found"]["search"]


def test_a_start_that_is_better_on_other_graphs_is_kept():
    settings = {**SMALL, "num_validation": 40, "num_graphs": 1, "generations": 1}
    start = load_policy("balanced")
    kept = search_policy(budget=4.6, **{**settings, "start": start})
    assert kept.card["chosen"] == "start"
    assert kept.policy == start
    gain = kept.card["gain"]
    scores = (kept.card[which]["validation"] for which in ("start", "found"))
    assert gain["validation"] == pytest.approx(np.subtract(*scores))
    assert gain["validation"] <= gain["standard_error"] < 0.2
    beyond = search_policy(budget=2.5, **{**settings, "start": start})
    assert beyond.card["chosen"] == "found"
    assert beyond.card["start"]["work"] > 2.5 >= beyond.card["found"]["work"]


def test_same_seed_same_constants(found):
    again = search_policy(left_out=["cluster-editing"], budget=4.5, num_threads=1, **SMALL)
    assert again.policy == found.policy
    assert again.card["found"] == found.card["found"]


def test_the_card_tells_what_is_true(found, tmp_path):
    path = tmp_path / "own.json"
    found.save(path)
    assert load_policy(path) == found.policy
    card = json.loads(path.read_text())
    assert card["search"]["families"] == ["erdos-renyi", "voronoi"]
    assert card["search"]["left_out"] == ["cluster-editing"]
    assert card["search"]["evaluations"] <= 6 * 6 + 1
    assert card["multicut"] == mc.__version__
    graphs = mc.datasets.generate("voronoi", 12, seed=3, split="valid")
    known = mc.solve_batch(graphs, "fusion")
    for solver, options, key in (
        ("gaec", {}, "gaec_gap"),
        ("dual-greedy", {"policy": BAD_START}, "start_gap"),
        ("dual-greedy", {"policy": path}, "found_gap"),
    ):
        gaps = [
            (ours.objective - best.objective) / abs(best.objective)
            for ours, best in zip(mc.solve_batch(graphs, solver, **options), known, strict=True)
        ]
        assert card["validation"]["voronoi"][key] == pytest.approx(np.mean(gaps), abs=1e-12)
    row = card["validation"]["voronoi"]
    assert row["relative_gap"] == pytest.approx(row["found_gap"] / row["gaec_gap"])
    assert row["time"] > 0


def test_graphs_are_kept_with_their_solutions(tmp_path, monkeypatch):
    settings = {**SMALL, "families": ("voronoi",), "generations": 1}
    first = search_policy(cache=tmp_path / "graphs", **settings)
    assert len(list((tmp_path / "graphs").iterdir())) == 2
    monkeypatch.setattr(mc.Dataset, "label", None)  # called by nobody
    assert search_policy(cache=tmp_path / "graphs", **settings).policy == first.policy


def test_own_graphs_can_be_searched_on(tmp_path):
    path = tmp_path / "own"
    mc.datasets.generate("erdos-renyi", 7).save(path)
    settings = {**SMALL, "families": (str(path),), "generations": 1}
    card = search_policy(budget=4.5, **settings).card
    assert list(card["validation"]) == [str(path)]
    mc.datasets.generate("erdos-renyi", 1).save(path, overwrite=True)
    with pytest.raises(ValueError, match=r"has 1 graph; a search needs one at an even and one at"):
        search_policy(**settings)


def test_a_family_that_gaec_solves_has_no_gap():
    joined = mc.Problem([[0, 1], [1, 2]], [1.0, 2.0])
    graphs = mc.Dataset.from_problems([joined]).label("gaec")
    family = Family("joined", graphs, num_threads=1)
    assert (family.gaec_gap, family.measure(Policy()).relative_gap) == (0.0, 0.0)


def test_progress_is_reported():
    seen: list[tuple[int, dict[str, float]]] = []
    search_policy(
        **{**SMALL, "families": ("voronoi",), "generations": 2},
        progress=lambda evaluations, values: seen.append((evaluations, values)),
    )
    assert [evaluations for evaluations, _ in seen] == list(range(1, 13))
    scores = [values["score"] for _, values in seen]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"budget": 1.0}, r"^budget must be at least 1\.\d+ times the time of gaec, got 1$"),
        ({"budget": "much"}, "^budget must be a number"),
        ({"generations": 0}, "^generations must be"),
        ({"population": 3}, "^population must be .* got 3"),
        ({"families": "voronoi"}, "^families must be several names, got 'voronoi'"),
        ({"families": ["voronoi", "voronoi"]}, "^families names 'voronoi' twice$"),
        ({"families": ["voronoi"], "left_out": ["voronoi"]}, "among the families and left out"),
        ({"families": [], "left_out": default_families()}, "^all families are left out; name one"),
        ({"families": ["nowhere"], "num_graphs": 1}, "^nowhere: neither a file"),
        ({"start": "slow"}, "^policy must be one of balanced, best, fast or a file, got 'slow'$"),
        ({"label": "oracle"}, "oracle"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    settings = {"families": ["voronoi"], "num_graphs": 1, "num_validation": 1, **settings}
    with pytest.raises((TypeError, ValueError, FileNotFoundError), match=message):
        search_policy(**settings)


def test_settings_are_given_once():
    with pytest.raises(TypeError, match=r"^settings are given twice: settings and budget$"):
        search_policy(PolicySettings(), budget=3.0)


def test_all_families_are_searched_that_are_not_left_out():
    assert "scaling" not in PolicySettings().families
    assert {"randommp", "grid-3d"} <= set(PolicySettings().families)
    without = PolicySettings(left_out=["grid-3d"])
    assert set(PolicySettings().families) - set(without.families) == {"grid-3d"}


def test_cmaes_is_asked_for(monkeypatch):
    monkeypatch.setitem(sys.modules, "cmaes", None)
    with pytest.raises(MissingExtraError, match=r"needs cmaes.*multicut\[train\]"):
        search_policy(num_graphs=1)


@pytest.mark.parametrize("name", ["fast", "balanced", "best"])
def test_shipped_policies_have_their_cards(name):
    import multicut.solvers.dual_greedy as home

    path = Path(home.__file__).parent / "policies" / f"{name}.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    chosen = card[card["chosen"]]
    assert chosen["constants"] == card["constants"] == load_policy(name).to_dict()
    assert chosen["work"] <= card["budget"]
    assert set(card["validation"]) == set(default_families())
    # What gaec leaves to be gained: more than half of it, and almost all with enough time.
    assert chosen["validation"] < {"fast": 0.5, "balanced": 0.25, "best": 0.08}[name]
