"""The scores of learned costs in docs/examples.md are those that were recorded."""

from __future__ import annotations

import json
import re

import pytest

from benchmarks.learned_costs import FIRST_SEEDS, FRESH_SEEDS, SETTINGS, seeds_of
from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool
from tests.examples.load import load_example

PAGE = "docs/examples.md"
tables = load_tool("tables")
learned_costs = load_tool("measured/learned_costs")


def section() -> str:
    """Return what the page says about learned costs."""
    _, _, text = (ROOT / PAGE).read_text(encoding="utf-8").partition("\n## Costs learned end")
    assert text
    return text.partition("\n## ")[0]


def test_all_runs_are_recorded():
    cells = json.loads((tables.RESULTS / "learned_costs.json").read_text(encoding="utf-8"))
    del cells["environment"]
    expected = {
        f"{name}, seed {seed}": arguments
        for name, arguments in SETTINGS.items()
        for seed in seeds_of(name)
    }
    assert {name: cell["arguments"] for name, cell in cells.items()} == expected
    assert (FIRST_SEEDS, FRESH_SEEDS) == (learned_costs.FIRST_SEEDS, learned_costs.FRESH_SEEDS)
    assert set(learned_costs._SETTINGS.values()) == set(SETTINGS)
    rows = cells["all rows, seed 5"]["scores"]
    assert set(learned_costs._ROWS) == set(rows)


def test_no_score_is_written_by_hand():
    text = section()
    for sentence in tables.SENTENCES[PAGE]:
        text = tables.sentence_pattern(sentence).sub("", text)
    rest = [line for line in text.splitlines() if not line.startswith("|")]
    assert re.findall(r"\d\.\d+", "\n".join(rest)) == []


def test_what_the_page_concludes_is_so():
    """Assert what sentences say in words; the numbers in them are generated."""
    numbers = {
        name: float(text.replace("\N{MINUS SIGN}", "-"))
        for name, text in learned_costs.score_numbers().items()
    }
    mean = {name.partition(", ")[2]: each for name, each in numbers.items() if name[:4] == "mean"}
    # The strongest baseline, and the order of the ways that help.
    assert mean["components over edge by edge"] > 0
    assert mean["search over KLj"] > 0 < mean["KLj over components"]
    assert mean["output over components"] > 0 < mean["fixed over components"]
    assert mean["KLj over output"] > 0 < mean["output over fixed"]
    assert mean["network over edge by edge"] < 0 > mean["network over components"]
    # Losses on edges help less than the expected loss of partitions.
    for gradient in ("perturbed", "interpolated", "straight"):
        assert mean[f"KLj over {gradient}"] > 0
    assert numbers["least, search, texture"] < numbers["least, KLj, texture"]


def test_the_search_is_over_as_many_parameters_as_the_page_says():
    example = load_example("learn_costs")
    count = sum(parameter.numel() for parameter in example.CostNetwork().parameters())
    assert f"over all {count} parameters of the cost network" in " ".join(section().split())


@pytest.mark.parametrize("column", [2, 3, 4])
def test_a_changed_score_is_seen(column, tmp_path, monkeypatch):
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    (tmp_path / "docs").mkdir()
    for row in learned_costs.score_rows():
        cells = row.split(" | ")
        for number in re.findall(r"\d\.\d{3}", cells[column]):
            changed = cells[column].replace(number, f"{float(number) + 0.001:.3f}")
            outdated = " | ".join([*cells[:column], changed, *cells[column + 1 :]])
            assert row in text
            (tmp_path / PAGE).write_text(text.replace(row, outdated), encoding="utf-8")
            assert tables.with_numbers(PAGE) == text


@pytest.fixture
def record(tmp_path, monkeypatch):
    """Return a function that records scores of components and of KLj by seed."""
    cells: dict[str, dict] = {"environment": {}}
    path = tmp_path / "learned_costs.json"
    monkeypatch.setattr(learned_costs, "_FILE", path)

    def record(scores, setting="all rows"):
        for seed, (components, klj) in scores.items():
            rows = {name: {"components": components, "klj": klj} for name in learned_costs._ROWS}
            cells[f"{setting}, seed {seed}"] = {"scores": rows, "processor_seconds": 1.0}
        path.write_text(json.dumps(cells), encoding="utf-8")

    return record


def test_rows_are_means_and_deviations_over_seeds(record, monkeypatch):
    monkeypatch.setattr(learned_costs, "FIRST_SEEDS", range(2))
    record({0: (0.25, 0.5), 1: (0.75, 0.25)})
    # By hand: differences of 0.25 and -0.5 have mean -0.125 and deviation 0.75 / √2.
    assert learned_costs.score_rows()[0] == (
        "| edge by edge, no offset | 0 to 1 | 0.500 ± 0.354 | 0.375 ± 0.177 "
        "| \N{MINUS SIGN}0.125 ± 0.530 |"
    )


def test_fresh_seeds_have_rows_of_their_own_once_all_are_measured(record):
    record(dict.fromkeys(range(9), (0.5, 0.75)))
    first = learned_costs.score_rows()
    record(dict.fromkeys(range(5, 10), (0.25, 0.75)))
    rows = learned_costs.score_rows()
    assert rows[::2] == first
    assert len(rows) == 2 * len(first)
    assert rows[1] == (
        "| edge by edge, no offset | 5 to 9, fresh | 0.250 ± 0.000 | 0.750 ± 0.000 "
        "| +0.500 ± 0.000 |"
    )


def test_sentences_and_settings_are_about_the_fresh_seeds(record):
    record(dict.fromkeys(range(5), (0.5, 0.6)))
    for setting in SETTINGS:
        record(
            {5: (0.5, 0.75), 6: (0.5, 0.625), 7: (0.5, 0.25), 8: (0.5, 0.5), 9: (0.5, 0.5)}, setting
        )
    numbers = learned_costs.score_numbers()
    assert numbers["fresh seeds"] == "5"
    assert numbers["mean, KLj over components"] == "0.025"
    assert numbers["seeds, KLj over components"] == "2"
    assert numbers["least, KLj over components"] == "\N{MINUS SIGN}0.250"
    assert numbers["most, search, texture"] == "0.750"
    # By hand: deviations from the mean of 0.225, 0.1, -0.275, -0.025 and -0.025.
    assert learned_costs.settings_rows()[1] == (
        "| twice the passes, `--epochs 40` | 0.500 ± 0.000 | 0.525 ± 0.185 | 0.525 ± 0.185 "
        "| 0.525 ± 0.185 |"
    )
