from __future__ import annotations

from pathlib import Path

import pytest

from multicut.models import ModelRecord
from paper.table1 import reasons
from paper.table1.entries import Row
from paper.table1.selection import has_published_schedule, selection_bullets
from tests.paper.made_runs import write_run

_PUBLISHED = {
    "learning_rate": 0.001,
    "scale_free": False,
    "alpha": 0.003,
    "alpha_start": 3_000_000,
    "alpha_reached": 0.003,
    "instances": 3_150_000,
    "instances_of_the_run": 3_150_000,
    "validation": {"split": "randommp:valid"},
}
_VALIDATION = {"split": "randommp:valid", "objective_ratio": 0.9, "num_graphs": 1_000}


def _record(name, *phases):
    card = {"sha256": "0123456789", "training": list(phases), "validation": _VALIDATION}
    return ModelRecord(name, "", Path(), card)


def _row(record, random=0.9, iris=0.9):
    cells = {"RandomMP": {"ratio": random}, "IrisMP": {"ratio": iris}}
    return Row(record.name, 0.0, cells, record=record)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, True),
        ({"alpha": 0.0, "alpha_start": 0}, True),
        ({"decay": "cosine"}, False),
        ({"scale_free": True}, False),
        ({"warm_up": 10}, False),
        ({"clip": 1.0}, False),
        ({"learning_rate": 0.0005}, False),
        ({"alpha_start": 1_000}, False),
        ({"instances_of_the_run": 300_000}, False),
    ],
)
def test_which_schedules_are_the_published_one(change, expected):
    assert has_published_schedule(_record("gin0_w_bn-irismp", _PUBLISHED | change)) == expected


def test_a_published_schedule_may_be_in_two_parts():
    first = _PUBLISHED | {"alpha": 0.0, "instances_of_the_run": 3_000_000}
    second = _PUBLISHED | {"alpha_start": 0, "instances_of_the_run": 150_000}
    assert has_published_schedule(_record("gin0_w_bn-irismp", first, second))
    assert not has_published_schedule(_record("gin0_w_bn-irismp", second, first))


def test_bullets_say_where_networks_come_from(settings):
    short = _PUBLISHED | {"instances_of_the_run": 300_000}
    scaled = short | {"scale_free": True}
    both = {"by_dataset": {"irismp": {}, "randommp": {}}}
    rows = [
        _row(_record("gcn_w_bn-randommp", _PUBLISHED), 0.92, 0.75),
        _row(_record("gin0_w_bn-irismp", short)),
        _row(_record("lr-randommp", short)),
        _row(_record("rggcn_he-randommp", short)),
        _row(_record("sgcn_w_bn-randommp", _PUBLISHED | {"validation": both}, scaled)),
        Row("gaec", None, {"RandomMP": {"ratio": 1.0}}),
    ]
    store = settings.open_cache(reasons.PART)
    for name, value in (("RandomMP", 0.925), ("IrisMP", 0.95)):
        store.put(reasons.unscaled_key(settings, rows[0].record, name), {"ratio": value})
    decaying = {"decay": "cosine", "planned_instances": 3_150_000, "num_validation": 500}
    test = {"RandomMP": 0.93, "IrisMP": 0.94}
    cycles = {"alpha": 0.003, "alpha_start": 10, "test": test}
    write_run(settings.curves, "a", [(10, 0, 0, 0.8), (20, 0, 0, 0.91)], **decaying, **cycles)
    whole = [(3_150_000, 0, 0, 0.89)]
    write_run(settings.curves / "published", "lr-randommp-seed-0", whole)
    # After CCL began, it fell further.
    unstable = [(100, 0, 0, 0.7), (150, 0, 0, 0.8), (200, 0, 0, 0.3), (250, 0, 0, 0.1)]
    rggcn = {"network": {"architecture": "rggcn_he"}, "alpha": 0.01, "alpha_start": 200}
    rggcn |= {"scale_free": True, "decay": "none"}
    write_run(settings.curves, "rggcn_he-randommp", unstable, **rggcn)
    steady = [(100, 0, 0, 0.7), (150, 0, 0, 0.8), (200, 0, 0, 0.41), (250, 0, 0, 0.1)]
    gin = rggcn | {"network": {"architecture": "gin0_w"}}
    write_run(settings.curves, "gin0_w_bn-irismp", steady, **gin)
    selection, candidates, schedules, scale = (
        " ".join(text.split()) for text in selection_bullets(settings, rows)
    )
    assert "`sgcn_w_bn-randommp` was trained in two phases" in selection
    assert "validated on IrisMP and RandomMP" in selection
    assert "Runs with a decaying rate (1) were no candidates." in candidates
    assert (
        "slightly better: 0.9100 on 500 graphs, where that of the network is 0.9000" in candidates
    )
    assert "they reach 0.9300 on the test graphs of RandomMP, the network 0.9250." in candidates
    assert "On IrisMP (easier) they reach 0.9400, the network 0.9500." in candidates
    assert "`gcn_w_bn-randommp` come from the published schedule" in schedules
    assert "For `gin0_w_bn-irismp` and `sgcn_w_bn-randommp`, no run of" in schedules
    assert "For `lr-randommp`, the published schedule has no better validation." in schedules
    assert (
        "For `rggcn_he-randommp`, no run of the published schedule is recorded to its end. One of "
        "250 instances with its learning rate, but normalised costs, was unstable: before CCL, "
        "validation fell from 0.8000 to 0.3000." in schedules
    )
    assert "4 of 5 were trained on costs as they are" in scale
    assert "`gcn_w_bn-randommp` goes from 0.950 to 0.750 on IrisMP (easier)." in scale
    assert scale.endswith("Other ratios change by at most 0.005.")


def test_networks_that_validation_took_early_are_named(settings):
    records = [
        _record("gin0_w_bn-randommp", _PUBLISHED),
        _record("lr-randommp", _PUBLISHED | {"alpha": 0.0, "instances": 100_000}),
    ]
    bullets = selection_bullets(settings, [_row(record) for record in records])
    (text,) = [" ".join(each.split()) for each in bullets if "Schedules" in each]
    assert "Validation took `lr-randommp` after 100,000 of these instances. Other" in text
