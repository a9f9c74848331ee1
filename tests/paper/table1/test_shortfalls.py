from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from multicut.benchmark.markdown import MISSING
from multicut.models import ModelRecord
from paper.section import Section
from paper.table1 import batch_statistics, reasons, shortfalls
from paper.table1.entries import Row
from tests.paper.made_runs import write_run
from tests.paper.pages import rows_of


def _row(name, random, iris, num_instances=10):
    cells = {
        each: {"ratio": value, "standard_error": 0.01}
        for each, value in (("RandomMP", random), ("IrisMP", iris))
    }
    record = ModelRecord(name, "", Path(), {"sha256": "0123456789"})
    return Row(name, 0.0, cells, num_instances, record=record)


def _write_run(settings, name, **changes):
    write_run(settings.curves / "published", name, [(10, 0.0, 0.0, 0.5)], **changes)


def test_networks_below_their_published_values_are_listed(settings):
    settings.curves.mkdir()
    tests = {"test": {"IrisMP": 0.99}, "test_last": {"IrisMP": 0.25}}
    _write_run(settings, "sgcn_w_bn-irismp-alpha-0.01", **tests)
    rows = [
        _row("gin0_w_bn-irismp", 0.4, 0.999),
        _row("sgcn_w_bn-irismp", 0.9, 0.5, 3_000),
        _row("gcn_w_bn-irismp", 0.1, 0.1),  # has a table of its own
        replace(_row("gaec", 0.1, 0.1, None), record=None),
    ]
    section = Section()
    shortfalls.write_shortfalls(section, settings, rows)
    found = section.tables["shortfalls"]
    assert [(each["model"], each["test_set"]) for each in found] == [
        ("gin0_w_bn-irismp", "RandomMP"),
        ("sgcn_w_bn-irismp", "IrisMP"),
    ]
    assert [each["reached_with"] for each in found] == [[], ["by another run"]]
    assert rows_of(section.lines, "`sgcn_w_bn-irismp`") == [
        [
            "3,000",
            "",
            "IrisMP (easier)",
            "0.9878",
            "0.5000 ± 0.0100",
            *(MISSING, MISSING, MISSING, MISSING),
            *("0.9900", "0.2500"),
            "by another run",
        ]
    ]
    assert " ".join(section.lines[-2].split()) == (
        "Not reached by any of these: `gin0_w_bn-irismp` on RandomMP. No runs of these networks "
        "with other seeds are recorded."
    )
    empty = Section()
    shortfalls.write_shortfalls(empty, settings, [_row("gin0_w_bn-irismp", 0.999, 0.999)])
    assert "shortfalls" not in empty.tables


def test_measurements_tell_what_reaches_a_published_value(settings):
    row = _row("sgcn_w_bn-irismp", 0.9, 0.98)
    store = settings.open_cache(reasons.PART)
    store.put(reasons.unscaled_key(settings, row.record, "IrisMP"), {"ratio": 0.99})
    own = {"bias": 0.25, "factor": None, "ratio": 0.97}
    there = {"bias": -0.5, "factor": 0.75, "ratio": 0.995}
    store.put(
        reasons.remedies_key(settings, row.record, "IrisMP"),
        {"num_validated": 3, "own": own, "there": there},
    )
    key = batch_statistics.adapted_key(settings, row.record, "IrisMP")
    settings.open_cache(batch_statistics.PART).put(key, {"ratio": 0.996})
    section = Section()
    shortfalls.write_shortfalls(section, settings, [row])
    (found,) = section.tables["shortfalls"]
    assert found["reached_with"] == [
        "within one standard error",
        "with costs as they are",
        "with a bias and a scale for the test set",
        "with batch statistics of the test set's family",
    ]
    (texts,) = rows_of(section.lines, "`sgcn_w_bn-irismp`")
    remedies = ["0.9700 (+0.25)", "0.9950 (-0.5, costs times 0.75)", "0.9960"]
    assert texts[6:9] == remedies


def test_a_network_that_is_below_only_with_costs_as_they_are_is_listed(settings):
    row = _row("sgcn_w_bn-irismp", 0.9, 0.999)
    store = settings.open_cache(reasons.PART)
    store.put(reasons.unscaled_key(settings, row.record, "IrisMP"), {"ratio": 0.9})
    section = Section()
    shortfalls.write_shortfalls(section, settings, [row])
    (found,) = section.tables["shortfalls"]
    assert found["reached_with"] == ["with normalised costs"]


def test_a_bias_of_zero_reaches_nothing(settings):
    row = _row("sgcn_w_bn-irismp", 0.9, 0.995)
    store = settings.open_cache(reasons.PART)
    store.put(reasons.unscaled_key(settings, row.record, "IrisMP"), {"ratio": 0.98})
    none = {"bias": 0.0, "factor": None, "ratio": 0.995}
    store.put(
        reasons.remedies_key(settings, row.record, "IrisMP"),
        {"num_validated": 3, "own": none, "there": none},
    )
    section = Section()
    shortfalls.write_shortfalls(section, settings, [row])
    (found,) = section.tables["shortfalls"]
    assert found["reached_with"] == ["with normalised costs"]


def test_runs_with_other_seeds_of_unexplained_networks_are_named(settings):
    settings.curves.mkdir()
    for name, seed in (("gin0_w_bn-irismp-a", 0), ("gin0_w_bn-irismp-b", 1)):
        _write_run(settings, name, seed=seed)
    rows = [
        _row(f"{name}-irismp", 0.4 if name == "gin0_w_bn" else 0.1, 0.999)
        for name in ("gin0_w_bn", "gt")
    ]
    for row in rows:
        row.record.card["training"] = [{"seed": 0}]
    section = Section()
    shortfalls.write_shortfalls(section, settings, rows)
    found = [each["runs_of_other_seeds"] for each in section.tables["shortfalls"]]
    assert found == [["gin0_w_bn-irismp-b"], []]
    text = " ".join(section.lines[-2].split())
    assert "`gt-irismp` on RandomMP. Of runs of these networks" in text
    assert text.endswith("with other seeds, `gin0_w_bn-irismp-b` alone is recorded.")


def test_nothing_is_unexplained_where_all_values_are_reached(settings):
    store = settings.open_cache(reasons.PART)
    row = _row("sgcn_w_bn-irismp", 0.9, 0.98)
    store.put(reasons.unscaled_key(settings, row.record, "IrisMP"), {"ratio": 0.99})
    section = Section()
    shortfalls.write_shortfalls(section, settings, [row])
    expected = "Each of these published values is reached by one of these measurements."
    assert section.lines[-2] == expected


def test_values_that_only_a_fit_to_solutions_reaches_are_named(settings):
    row = _row("sgcn_w_bn-irismp", 0.9, 0.9)
    own, there = ({"bias": 0.5, "factor": None, "ratio": value} for value in (0.9, 0.99))
    key = reasons.remedies_key(settings, row.record, "IrisMP")
    settings.open_cache(reasons.PART).put(key, {"own": own, "there": there})
    section = Section()
    shortfalls.write_shortfalls(section, settings, [row])
    text = " ".join(section.lines[-2].split())
    assert "1 of 1 are reached only with a bias and a scale that were fitted to solutions" in text
    assert text.endswith("`sgcn_w_bn-irismp` on IrisMP (easier).")
