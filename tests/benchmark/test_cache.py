from __future__ import annotations

import itertools

import pytest

from multicut.benchmark.cache import Cache


def test_what_is_cached_is_not_measured_again(tmp_path):
    calls = []

    def measure():
        calls.append(1)
        return {"value": len(calls)}

    for _ in range(2):
        assert Cache(tmp_path / "part.json").get("a", measure) == {"value": 1}
    assert Cache(tmp_path / "part.json").get("b", measure) == {"value": 2}


def test_a_damaged_file_is_told_of(tmp_path):
    (tmp_path / "part.json").write_text("{")
    with pytest.raises(ValueError, match=r"part.json is not a readable cache .*delete it"):
        Cache(tmp_path / "part.json")


def test_the_machine_of_the_latest_measurement_is_kept(tmp_path):
    days = itertools.count()

    def describe():
        return {"day": next(days)}

    store = Cache(tmp_path / "part.json", describe)
    assert store.environment is None
    store.get("a", dict)
    store.get("a", dict)
    assert Cache(tmp_path / "part.json").environment == {"day": 0}
    store.put("a", {"value": 2})
    assert Cache(tmp_path / "part.json").environment == {"day": 1}
    assert Cache(tmp_path / "part.json").cells["a"] == {"value": 2}
