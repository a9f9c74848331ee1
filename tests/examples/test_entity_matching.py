"""The example of examples/entity_matching.py, shortened."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from tests.examples.load import load_example


@pytest.fixture(scope="module")
def example() -> ModuleType:
    return load_example("entity_matching")


def test_the_multicut_matches_better_than_components(example, capsys, tmp_path):
    scores = example.main(num_families=50, seed=1, picture=tmp_path / "matching.png")
    assert scores["multicut"]["F1"] > scores["components of pairs above 0.5"]["F1"] + 0.05
    assert scores["multicut"]["F1"] > scores["components, best threshold"]["F1"]
    assert scores["multicut"]["precision"] > 0.85
    assert "people" in capsys.readouterr().out
    assert (tmp_path / "matching.png").stat().st_size > 5_000


def test_scores_of_pairs(example):
    truth = pd.Series([0, 0, 0, 1, 1], index=list("abcde"))
    found = pd.Series([0, 0, 1, 1, 1], index=list("abcde"))
    # 4 pairs are the same person, 4 are put together, 2 are both: ab and de.
    assert example.pair_scores(found, truth) == {"precision": 0.5, "recall": 0.5, "F1": 0.5}
    assert example.pair_scores(truth, truth)["F1"] == 1


def test_components_join_what_is_above_the_threshold(example):
    names = pd.Index(list("abcd"))
    pairs = pd.DataFrame({"source": list("abc"), "target": list("bcd"), "cost": [2.0, -1.0, 0.5]})
    assert example.components(pairs, names).tolist() == [0, 0, 1, 1]
    assert example.components(pairs, names, 1.0).tolist() == [0, 0, 1, 2]


def test_blocking_keeps_most_matches_and_few_pairs(example):
    register = example.make_register(50, np.random.default_rng(0))
    pairs = example.candidate_pairs(register)
    person = register["person"]
    same = person.loc[pairs["source"]].to_numpy() == person.loc[pairs["target"]].to_numpy()
    sizes = person.value_counts()
    assert same.sum() > 0.85 * (sizes * (sizes - 1) / 2).sum()
    assert len(pairs) < 0.05 * len(register) * (len(register) - 1) / 2
    assert (pairs["source"] < pairs["target"]).all()
