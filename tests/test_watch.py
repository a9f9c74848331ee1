"""What a solve knows of its deadline."""

from __future__ import annotations

import pytest

from multicut.stop import Stop, StopReason
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


def test_the_first_reason_to_stop_stays():
    watch = Watch(Stop())
    assert watch.stopped_by is StopReason.CONVERGED
    assert not watch.is_stopped
    watch.stop(StopReason.TIME_LIMIT)
    watch.stop(StopReason.INTERRUPT)
    assert watch.is_stopped
    assert watch.should_stop()
    assert watch.stopped_by is StopReason.TIME_LIMIT
    with pytest.raises(AttributeError):
        watch.stopped_by = StopReason.INTERRUPT


def test_of_a_stage_only_ctrl_c_ends_the_solve():
    for reason in StopReason:
        watch = Watch(Stop())
        watch.hear_of(reason)
        assert watch.is_stopped == (reason is StopReason.INTERRUPT)


def test_a_callback_stops_by_its_value_or_by_ctrl_c():
    def press_ctrl_c(_progress):
        raise KeyboardInterrupt

    for callback, reason in (
        (lambda _: True, StopReason.CALLBACK),
        (press_ctrl_c, StopReason.INTERRUPT),
    ):
        watch = Watch(Stop(callback=callback))
        watch.report()
        assert watch.stopped_by is reason
