"""The scores of learned costs in docs/examples.md are those that were recorded."""

from __future__ import annotations

import functools
import json
import re
import statistics

import pytest

from benchmarks.learned_costs import SETTINGS
from multicut.training.solver_layer import GRADIENTS
from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool

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
    for name, arguments in SETTINGS.items():
        assert learned_costs._is_measured(name, learned_costs.FIRST_SEEDS)
        for seed in (*learned_costs.FIRST_SEEDS, *learned_costs.FRESH_SEEDS):
            cell = cells.pop(f"{name}, seed {seed}", {"arguments": arguments})
            assert cell["arguments"] == arguments
    assert set(cells) == {"environment"}


def test_no_score_is_written_by_hand():
    text = section()
    for sentence in tables.SENTENCES[PAGE]:
        text = tables.sentence_pattern(sentence).sub("", text)
    rest = [line for line in text.splitlines() if not line.startswith("|")]
    assert re.findall(r"\d\.\d+", "\n".join(rest)) == []


def test_what_the_page_concludes_is_so():
    """Assert what sentences say in words; the numbers in them are generated."""

    def mean(setting, row, decoder):
        return statistics.fmean(run["scores"][row][decoder] for run in learned_costs._runs(setting))

    main = functools.partial(mean, "all rows")
    components = main("edge by edge", "components")
    assert components > main("edge by edge", "klj")
    assert main("expected loss, klj", "klj") > main("the network's own output", "klj") > components
    for gradient in GRADIENTS:
        assert main(f"{gradient}, klj", "klj") < components
    for decoder in ("components", "klj"):
        assert main("through a network", decoder) < main("edge by edge", decoder)
    for score in (
        ("expected loss, klj", "klj"),
        ("the network's own output", "klj"),
        ("edge by edge", "components"),
    ):
        assert mean("40 epochs", *score) > main(*score)
    numbers = learned_costs.score_numbers()
    for name in ("network over components", "network over edge by edge"):
        difference = float(numbers[f"mean, {name}"].replace("\N{MINUS SIGN}", "-"))
        assert difference < -float(numbers[f"spread, {name}"])
    # The two ways do not differ clearly, and neither do the log-odds and components.
    for name in ("KLj over output", "KLj over output, longer"):
        assert float(numbers[f"mean, {name}"]) < float(numbers[f"spread, {name}"])
    difference = float(numbers["mean of output, sparser"])
    difference -= float(numbers["mean of components, sparser"])
    assert abs(difference) < float(numbers["spread of output, sparser"])
    for name in ("KLj over components", "KLj over output components"):
        assert float(numbers[f"least, {name}"]) > 0
    assert float(numbers["least, KLj over components, sparser"]) > 0


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


def test_numbers_of_fresh_seeds_are_there_once_all_settings_are_measured(record):
    for setting in SETTINGS:
        record(dict.fromkeys(range(5), (0.5, 0.6)), setting)
    before = learned_costs.score_numbers()
    assert before["mean, KLj over components"] == "0.100"
    assert not any(name.endswith("fresh") for name in before)
    for setting in SETTINGS:
        record(dict.fromkeys(range(5, 10), (0.5, 0.75)), setting)
    after = learned_costs.score_numbers()
    assert after.items() >= before.items()
    assert after["mean, KLj over components, fresh"] == "0.250"
    assert after["runs, KLj over components, fresh"] == "5"
