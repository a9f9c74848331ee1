"""What a solve knows of its deadline."""

from __future__ import annotations

from multicut.stop import Stop
from multicut.watch import Watch


def test_what_is_reserved_ends_a_solve_before_its_deadline():
    watch = Watch(Stop(100.0))
    assert not watch.should_stop()
    assert watch.seconds_left > 50
    watch.reserve = 200.0
    assert watch.seconds_left == 0.0
    assert watch.should_stop()
    assert watch.stopped_by == "time_limit"


def test_without_a_deadline_nothing_is_reserved():
    watch = Watch(Stop())
    watch.reserve = 200.0
    assert not watch.should_stop()
