from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from multicut.interrupts import InterruptEvent, heeding_interrupts, obeying_interrupts


@pytest.fixture
def _restored():
    before = signal.getsignal(signal.SIGINT)
    yield
    signal.signal(signal.SIGINT, before)


pytestmark = pytest.mark.usefixtures("_restored")


def test_the_first_is_a_wish_and_the_second_an_exception():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    event = threading.Event()
    with obeying_interrupts(event):
        assert not event.is_set()
        signal.raise_signal(signal.SIGINT)
        assert event.is_set()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_raises_where_nobody_looks():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    event = InterruptEvent()
    with obeying_interrupts(event), pytest.raises(KeyboardInterrupt), event.raising():
        signal.raise_signal(signal.SIGINT)
    assert event.is_set()
    assert not event.raises


def test_it_is_heard_where_it_was_ignored():
    """As in jobs that a shell has started in the background."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    event = threading.Event()
    with obeying_interrupts(event):
        signal.raise_signal(signal.SIGINT)
    assert event.is_set()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_handler_of_the_caller_is_called_as_well():
    calls = []
    signal.signal(signal.SIGINT, lambda number, _frame: calls.append(number))
    event = threading.Event()
    with obeying_interrupts(event):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
    assert event.is_set()
    assert calls == [signal.SIGINT] * 2


def test_the_inner_of_two_is_told_and_the_outer_too():
    signal.signal(signal.SIGINT, signal.default_int_handler)
    outer, inner = threading.Event(), threading.Event()
    with obeying_interrupts(outer), obeying_interrupts(inner):
        signal.raise_signal(signal.SIGINT)
    assert inner.is_set()
    assert outer.is_set()


def test_other_threads_leave_signals_alone():
    before = signal.getsignal(signal.SIGINT)
    found = []

    def look() -> None:
        with obeying_interrupts(threading.Event()):
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert found == [before]


def press(lost: type[Exception] | None) -> None:
    """Press Ctrl-C, and lose the interrupt in another error or altogether."""
    try:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(10)
    except KeyboardInterrupt:
        if lost is not None:
            raise lost("lost") from None


@pytest.mark.parametrize("lost", [None, ImportError])
def test_an_interrupt_that_somebody_catches_is_raised_in_the_end(lost):
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with pytest.raises(KeyboardInterrupt), heeding_interrupts():
        press(lost)
    with pytest.raises(ImportError, match="missing"), heeding_interrupts():
        raise ImportError("missing")
