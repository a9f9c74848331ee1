"""Test values of earlier records, kept for the same run only."""

from __future__ import annotations

import json

import pytest

from paper.runs.kept_tests import keep_tests

CURVE = "instances,bce,objective_ratio\n10,0.2,0.9\n"


@pytest.fixture
def path(tmp_path):
    """An earlier record, tested on two more sets than is possible now."""
    path = tmp_path / "gcn-alpha-0.01.json"
    earlier = {
        "best_instances": 10,
        "test": {"IrisMP": 0.5, "BSDS300": 0.7, "Knott": 0.8},
        "stand_ins": ["BSDS300", "Knott"],
    }
    path.write_text(json.dumps(earlier))
    (tmp_path / "gcn-alpha-0.01.csv").write_text(CURVE)
    return path


def made(*names, **changes):
    return {"best_instances": 10, "test": dict.fromkeys(names, 0.6), "stand_ins": []} | changes


def test_values_of_the_same_run_are_kept(path, capsys):
    record = made("IrisMP", "Knott")
    keep_tests(record, CURVE, path)
    assert record["test"] == {"IrisMP": 0.6, "Knott": 0.6, "BSDS300": 0.7}
    # Knott was measured now, on the published graphs.
    assert record["stand_ins"] == ["BSDS300"]
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("curve", "best"), [(CURVE.replace("0.2", "0.3"), 10), (CURVE, 20)], ids=["curve", "best"]
)
def test_values_of_other_weights_are_dropped(path, capsys, curve, best):
    record = made("IrisMP", best_instances=best)
    keep_tests(record, curve, path)
    assert record == made("IrisMP", best_instances=best)
    (line,) = capsys.readouterr().out.splitlines()
    assert line == (
        f"{path}: the values on BSDS300, Knott were of other weights and are dropped; measure them "
        "again with --data"
    )


def test_nothing_is_said_where_all_is_measured_or_new(path, tmp_path, capsys):
    for where, names in ((path, ["IrisMP", "BSDS300", "Knott"]), (tmp_path / "new.json", [])):
        record = made(*names)
        keep_tests(record, "another", where)
        assert record == made(*names)
    assert not capsys.readouterr().out
