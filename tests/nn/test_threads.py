"""How many threads of the processor a network computes with."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

import multicut as mc
from multicut import _threads
from multicut.nn import threads
from multicut.nn.threads import choose_threads, threads_for
from tests.test_package import run_python

_free_processors = threads._free_processors


@pytest.fixture
def system(monkeypatch, tmp_path):
    """Make a system of 16 processors that says what a test wants."""
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 16, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(threads, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(_threads, "_CGROUP", tmp_path / "cgroup")
    _threads._quota.cache_clear()
    threads._num_visible_threads.cache_clear()

    def write(running: str = "1/40") -> None:
        for number in range(40):
            (tmp_path / f"proc/{number}/task/{number}").mkdir(parents=True, exist_ok=True)
        (tmp_path / "proc/loadavg").write_text(f"0.20 0.18 0.12 {running} 11206\n")

    yield write
    threads._num_visible_threads.cache_clear()
    _threads._quota.cache_clear()


def test_running_threads_take_processors(system):
    system("1/40")
    assert _free_processors() == 16
    system("6/40")
    assert _free_processors() == 11
    system("30/40")
    assert _free_processors() <= 0


def test_the_load_of_a_host_does_not_count_in_its_container(system):
    system("60/5000")
    assert _free_processors() == 16


def test_no_more_processors_than_the_process_may_use(system, monkeypatch):
    system("6/40")
    monkeypatch.setattr(threads, "available_processors", lambda: 2)
    # The other threads may run on the other processors.
    assert _free_processors() == 2


def test_no_more_threads_than_are_allowed():
    with threads_for(10**6, most=3):
        assert torch.get_num_threads() == 2
    with threads_for(10**6, most=64):
        assert torch.get_num_threads() == 8


@pytest.mark.usefixtures("system")
def test_systems_that_say_nothing():
    assert _free_processors() == 16


@pytest.fixture(autouse=True)
def many_threads(monkeypatch):
    """A machine with 64 idle processors, and a caller who has set 8 threads."""
    monkeypatch.setattr(threads, "_free_processors", lambda: 64)
    before = torch.get_num_threads()
    torch.set_num_threads(8)
    yield
    torch.set_num_threads(before)


def test_small_work_gets_one_thread_and_large_work_more():
    assert choose_threads(700, 128, most=64) == 1
    assert choose_threads(8_191, 128, most=64) == 1
    assert choose_threads(8_192, 128, most=64) == 2
    assert choose_threads(8_192, 64, most=64) == 1
    assert choose_threads(75_659, 128, most=64) == 16
    assert choose_threads(10_000_000, 128, most=64) == 64


def test_the_callers_number_is_the_most():
    assert choose_threads(10_000_000, 128, most=8) == 8
    # Powers of two add up in the same order.
    assert choose_threads(10_000_000, 128, most=7) == 4
    assert choose_threads(10_000_000, 128, most=1) == 1


def test_busy_processors_are_left_alone(monkeypatch):
    monkeypatch.setattr(threads, "_free_processors", lambda: 3)
    assert choose_threads(10_000_000, 128, most=8) == 2
    monkeypatch.setattr(threads, "_free_processors", lambda: -5)
    assert choose_threads(10_000_000, 128, most=8) == 1


def test_no_more_threads_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(threads, "room_left", lambda: 400 * 2**20)
    assert choose_threads(10_000_000, 128, most=8) == 2
    monkeypatch.setattr(threads, "room_left", lambda: 0)
    assert choose_threads(10_000_000, 128, most=8) == 1


def test_the_callers_number_comes_back():
    with threads_for(100):
        assert torch.get_num_threads() == 1
        with threads_for(10_000_000):
            # A pass within another gets no more than that.
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == 8
    with pytest.raises(ValueError, match="stop"), threads_for(100):
        raise ValueError("stop")
    assert torch.get_num_threads() == 8


def test_a_number_that_a_callback_sets_stays():
    with threads_for(100):
        torch.set_num_threads(3)
    assert torch.get_num_threads() == 3


def test_nothing_changes_for_a_gpu():
    with threads_for(100, 128, torch.device("cuda")):
        assert torch.get_num_threads() == 8


def test_threads_that_begin_during_a_pass_keep_the_callers_number():
    inside, done = threading.Event(), threading.Event()

    def hold():
        with threads_for(100):
            inside.set()
            done.wait(60)
        return torch.get_num_threads()

    def enter():
        with threads_for(10_000_000):
            number = torch.get_num_threads()
        return number, torch.get_num_threads()

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(hold)
        inside.wait(60)
        assert pool.submit(enter).result(60) == (8, 8)
        done.set()
        assert first.result(60) == 8
    assert torch.get_num_threads() == 8


def test_every_way_to_a_network_chooses(monkeypatch):
    asked = []

    def choose(num_edges, _width, _most):
        asked.append(num_edges)
        return 1

    monkeypatch.setattr(threads, "choose_threads", choose)
    problem = mc.datasets.randommp(60, seed=0)
    model = mc.load_model("gcn_w_bn-randommp", "cpu")
    universal = mc.load_model("universal", "cpu")
    for use in (
        lambda: mc.solve(problem, "gnn", device="cpu"),
        lambda: mc.solve(problem, "learned", model=universal),
        lambda: model(problem),
        lambda: mc.nn.partition(universal.batch(problem), universal),
    ):
        asked.clear()
        use()
        assert max(asked) > 0


def test_results_do_not_depend_on_threads(monkeypatch):
    problem = mc.datasets.randommp(3000, seed=0)
    found = []
    for number in (1, 2, 4):
        monkeypatch.setattr(threads, "_free_processors", lambda number=number: number)
        found.append(mc.solve(problem, "gnn", device="cpu").labels)
    assert (found[0] == found[1]).all()
    assert (found[0] == found[2]).all()


def test_by_default_a_small_graph_has_one_thread():
    code = (
        "import torch, multicut as mc\n"
        "torch.set_num_threads(4)\n"
        "seen = []\n"
        "from multicut.nn import network\n"
        "forward = network.MulticutNetwork.represent\n"
        "def represent(*given, **named):\n"
        "    seen.append(torch.get_num_threads())\n"
        "    return forward(*given, **named)\n"
        "network.MulticutNetwork.represent = represent\n"
        "mc.solve(mc.datasets.randommp(180), 'gnn', device='cpu')\n"
        "print(seen, torch.get_num_threads())"
    )
    assert run_python(code) == "[1] 4"
