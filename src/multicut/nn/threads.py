"""How many threads of the processor a network computes with.

torch takes one per processor by default. Threads wait for each other after every operation, of
which a pass has hundreds. On a graph of 700 edges they save 9 of 18 ms on an idle machine, and
cost a second and more where other programs want the processors, too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

import torch

from multicut._threads import all_processors, available_processors
from multicut.address_space import room_left
from multicut.forks import inherits_torch

# One thread for so many numbers in the states of all edges: 4096 edges at width 128. Fewer do not
# pay: on 16 idle cores, two threads take 0.7 of the time of one at 7,600 edges and width 128, and
# 0.94 at 3,700 edges and width 64.
_NUMBERS_PER_THREAD = 4096 * 128
# A thread has a stack of 8 MB and an arena of up to 128 MB. Where these do not fit, OpenMP ends the
# process.
_BYTES_PER_THREAD = 160 * 2**20
_PROC = Path("/proc")


class _Settings:
    """The number of threads that callers have set, while passes with other numbers are under way.

    torch keeps one number for each thread of Python, and one for threads to come, which is the
    last that any of them has set.
    """

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.num_passes = 0
        self.callers = 1
        self.own = threading.local()


_settings = _Settings()


@contextmanager
def threads_for(
    num_edges: int,
    width: int = 128,
    device: torch.device | None = None,
    most: int | None = None,
) -> Iterator[None]:
    """Let torch use as many threads as a pass is worth, and no more than the caller has set.

    The number is a power of two. Labels of the shipped networks were the same for 1, 2, 4, 8 and 16
    threads on a graph of 20,000 nodes; torch promises that only for a fixed number.

    Parameters
    ----------
    num_edges, width
        The size of the graphs, and of the state of each edge.
    device
        Where the network computes; on a GPU nothing is changed.
    most
        No more threads than this, if it is given.
    """
    if device is not None and device.type != "cpu":
        yield
        return
    before = _enter()
    number = choose_threads(num_edges, width, before if most is None else min(before, most))
    torch.set_num_threads(number)
    try:
        yield
    finally:
        _leave(number, before)


@contextmanager
def one_thread_after_fork() -> Iterator[None]:
    """Let torch use one thread where more would wait for ever, for work of any kind."""
    if not inherits_torch():
        yield
        return
    with threads_for(0):
        yield


def choose_threads(num_edges: int, width: int, most: int) -> int:
    """Return how many threads a pass is worth, given what is free."""
    if inherits_torch():
        return 1
    worth = num_edges * width // _NUMBERS_PER_THREAD
    number = min(worth, most, _free_processors())
    room = room_left()
    if room is not None:
        number = min(number, room // _BYTES_PER_THREAD)
    return 1 << (max(number, 1).bit_length() - 1)


def _free_processors() -> int:
    """Return how many processors no other thread is using right now, as far as that is known.

    Never more than this process may use.
    """
    own = available_processors()
    try:
        # Such as "0.20 0.18 0.12 1/80 11206": one of 80 threads is running, which is this one.
        text = (_PROC / "loadavg").read_text(encoding="ascii").split()[3]
        running, total = (int(number) for number in text.split("/"))
    except (OSError, ValueError, IndexError):
        return own
    # In a container the file tells of the host, which may have more processors than are seen here.
    if running > total or _num_visible_threads() < total / 2:
        return own
    return min(own, all_processors() - max(running - 1, 0))


@cache
def _num_visible_threads() -> int:
    """Return how many threads there are that this process can see; most of them on a host."""
    number = 0
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):  # it has just ended
                number += sum(1 for _ in (entry / "task").iterdir())
    return number


def _enter() -> int:
    """Return the number of threads that the caller has set."""
    with _settings.lock:
        depth = getattr(_settings.own, "depth", 0)
        # While other passes are under way, a new thread would be told their number.
        if _settings.num_passes == 0:
            _settings.callers = torch.get_num_threads()
        before = torch.get_num_threads() if depth else _settings.callers
        _settings.num_passes += 1
        _settings.own.depth = depth + 1
        return before


def _leave(number: int, before: int) -> None:
    with _settings.lock:
        _settings.num_passes -= 1
        _settings.own.depth -= 1
        # A callback of the caller may have set another number, which then stays.
        if torch.get_num_threads() == number:
            torch.set_num_threads(before)
