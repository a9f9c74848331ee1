"""What was checked adds up, survives a kill, and a hang or a crash is one fault."""

from __future__ import annotations

import os
import sys
import time
from collections import Counter

import pytest

from trust import workers
from trust.tally import Tally
from trust.workers import run_apart


def work(part, current):
    """Hang at 3, crash at 7."""
    for seed in part:
        current.value = seed
        while seed == 3:
            pass
        if seed == 7:
            os._exit(5)
    return Tally(Counter(problems=len(part)), 1.0, [], [(part.start, part.stop)])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_hangs_and_crashes_are_faults():
    total = sum(run_apart(work, [range(5), range(5, 10)], jobs=2, most_seconds=0.5), Tally())
    assert sorted(total.faults) == [
        "seed 3: does not end within 0 s",
        "seed 7: ends with status 5",
    ]
    assert total.seeds == [(0, 10)]
    assert total.counts["problems"] == 10


def test_tallies_add_up(tmp_path):
    path = tmp_path / "results.json"
    assert Tally.read(path) == Tally()
    first = Tally(Counter(problems=3), 1.5, ["seed 4: odd"], [(2, 5)])
    (first + Tally(Counter(problems=2), 1.0, [], [(5, 6), (8, 9)])).write(path)
    found = Tally.read(path)
    assert found == Tally(Counter(problems=5), 2.5, ["seed 4: odd"], [(2, 6), (8, 9)])
    assert found.missing(0, 12) == [range(2), range(6, 8), range(9, 12)]
    assert found.missing(3, 6) == []
    with pytest.raises(ValueError, match="seed 5 would count twice"):
        found + Tally(seeds=[(5, 7)])


def count(part, current):
    """Do nothing, at once."""
    current.value = part.start
    return Tally(Counter(problems=len(part)), 0.0, [], [(part.start, part.stop)])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_parts_follow_each_other_at_once():
    begin = time.monotonic()
    total = sum(run_apart(count, [range(i, i + 1) for i in range(40)], jobs=1), Tally())
    assert total.seeds == [(0, 40)]
    assert time.monotonic() - begin < 20  # a pause of a second after each part would be 40


def test_no_part_is_begun_after_the_deadline():
    assert list(run_apart(count, [range(5)], jobs=1, deadline=time.time() - 1)) == []


def begin_slowly(part, current):
    """Compute before the first number is told."""
    end = time.process_time() + 0.3
    while time.process_time() < end:
        sum(range(100_000))
    current.value = part.start
    return Tally(Counter(problems=len(part)), 0.0, [], [(part.start, part.stop)])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_earlier_parts_do_not_count_against_the_next_one(monkeypatch):
    """They did until it told its first number, which became a fault that nothing could repeat."""
    monkeypatch.setattr(workers, "_SECONDS_BETWEEN_LOOKS", 0.02)
    total = sum(run_apart(begin_slowly, [range(1), range(1, 2)], jobs=1, most_seconds=0.5), Tally())
    assert total.faults == []
    assert total.seeds == [(0, 2)]
