"""Loading torch: limits hold meanwhile, and too little memory is said in one line."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

import multicut as mc
from multicut.models import loading, ready
from multicut.models.loading import GpuLoader, Loader, check_room_for_torch, is_shortage
from multicut.stop import Stop
from multicut.watch import Watch
from tests.test_package import run_python
from tests.test_solve import check_contract


@pytest.fixture
def not_loaded(monkeypatch):
    """Let the loader believe that torch has to be imported, which takes until the event is set."""
    loaded = threading.Event()
    ready_model = ready.ready_model

    def slow(*given):
        assert loaded.wait(60)
        return ready_model(*given)

    create = Loader.__init__

    def as_if_first(self, *given):
        create(self, *given)
        self._takes_long = True

    monkeypatch.setattr(ready, "ready_model", slow)
    monkeypatch.setattr(Loader, "__init__", as_if_first)
    yield loaded
    loaded.set()
    for done in list(loading._loading):
        done.wait()


def test_a_limit_holds_while_torch_is_loaded(not_loaded):
    problem = mc.datasets.randommp(100, seed=0)
    result = mc.solve(problem, "gnn", time_limit=0.1)
    assert not not_loaded.is_set()
    check_contract(problem, result)
    assert result.stopped_by == "time_limit"
    assert result.runtime >= result.details["loading_seconds"] >= 0.05
    assert result.details["found_by"] == "trivial partition"
    assert "torch was not loaded in time" in result.details["fallback"]
    assert loading.is_loading()


def test_the_batch_has_the_same_limit(not_loaded):
    problems = [mc.datasets.randommp(30, seed=seed) for seed in range(3)]
    for problem, result in zip(
        problems, mc.solve_batch(problems, "gnn", time_limit=0.1), strict=True
    ):
        check_contract(problem, result)
        assert result.stopped_by == "time_limit"
        assert "loading_seconds" in result.details
    assert not not_loaded.is_set()


def test_learned_has_a_partition_before_torch_is_loaded(not_loaded):
    problem = mc.datasets.randommp(100, seed=0)
    result = mc.solve(problem, "learned", time_limit=0.1, use_network=True)
    assert not not_loaded.is_set()
    check_contract(problem, result)
    assert result.stopped_by == "time_limit"
    assert result.objective <= mc.solve(problem, "gaec").objective
    assert "torch was not loaded in time" in result.details["network"]
    assert result.details["loading_seconds"] >= 0.05
    assert result.details["found_by"] == "gaec"


def test_a_callback_hears_of_loading_and_may_end_it(not_loaded):
    heard = []

    def stop(progress):
        heard.append(progress.details)
        return progress.details == {"loading": "torch"}

    result = mc.solve(mc.datasets.randommp(100, seed=0), "gnn", callback=stop)
    assert not not_loaded.is_set()
    assert result.stopped_by == "callback"
    assert heard[-1] == {"loading": "torch"}


def test_ctrl_c_ends_the_wait(not_loaded, monkeypatch):
    def press(*_given):
        raise KeyboardInterrupt

    problem = mc.datasets.randommp(100, seed=0)
    monkeypatch.setattr(threading.Event, "wait", press)
    result = mc.solve(problem, "gnn", device="cpu")
    monkeypatch.undo()
    not_loaded.set()
    assert result.stopped_by == "interrupt"
    check_contract(problem, result)


def test_with_time_enough_loading_changes_nothing_but_the_details(not_loaded):
    problem = mc.datasets.randommp(100, seed=0)
    threading.Timer(0.2, not_loaded.set).start()
    result = mc.solve(problem, "gnn", time_limit=600)
    assert result.details["loading_seconds"] >= 0.1
    again = mc.solve(problem, "gnn", time_limit=600)
    assert np.array_equal(result.labels, again.labels)
    assert result.details["found_by"] == again.details["found_by"] == "network"


def test_errors_of_the_thread_reach_the_caller(not_loaded):
    not_loaded.set()
    with pytest.raises(ValueError, match="device must be"):
        mc.solve(mc.datasets.randommp(20), "gnn", device="abacus", time_limit=600)
    with pytest.raises(ValueError, match="unknown model"):
        mc.solve(mc.datasets.randommp(20), "gnn", model="nothing", time_limit=0)


def test_a_first_use_says_how_long_loading_took():
    code = (
        "import multicut as mc\n"
        "problem = mc.datasets.randommp(30)\n"
        "first, second = (mc.solve(problem, 'gnn').details for _ in range(2))\n"
        "print(first['loading_seconds'] > 0, 'loading_seconds' in second)\n"
    )
    assert run_python(code) == "True False"


def test_a_command_does_not_wait_for_what_it_no_longer_needs(tmp_path):
    file = tmp_path / "problem.txt"
    mc.write(mc.datasets.randommp(50), file)
    # An import that never ends: Python would wait for it.
    code = (
        "import sys, threading\n"
        "from multicut.models import ready\n"
        "ready.ready_model = lambda *_: threading.Event().wait()\n"
        f"sys.argv = ['multicut', 'solve', {str(file)!r}, '-s', 'gnn', '-t', '0.2']\n"
        "from multicut.cli import main\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0
    assert "trivial partition" in done.stdout
    assert "loading seconds" in done.stdout


def test_too_little_address_space_is_refused_before_the_import(monkeypatch):
    monkeypatch.setattr(loading, "room_left", lambda: 500 * 2**20)
    monkeypatch.delitem(sys.modules, "torch")
    with pytest.raises(MemoryError, match=r"loading torch takes about .* MB .* leaves 500"):
        check_room_for_torch()
    monkeypatch.setattr(loading, "room_left", lambda: None)
    check_room_for_torch()


@pytest.mark.usefixtures("not_loaded")
def test_too_little_memory_while_loading_is_one_line(monkeypatch):
    def fail(*_given):
        raise ImportError("libtorch_cpu.so: failed to map segment from shared object")

    monkeypatch.setattr(ready, "ready_model", fail)
    with pytest.raises(MemoryError, match="not enough memory to load torch; use a solver without"):
        mc.solve(mc.datasets.randommp(20), "gnn")
    result = mc.solve(mc.datasets.randommp(20), "learned", use_network=True)
    assert result.details["network"].startswith("not used: not enough memory")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (MemoryError(), True),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried ..."), True),
        (OSError("cannot allocate memory in static TLS block"), True),
        (RuntimeError("shapes do not match"), False),
        (ImportError("No module named 'torch'"), False),
        (SystemError("error return without exception set"), False),
    ],
)
def test_what_counts_as_too_little_memory(error, expected):
    assert is_shortage(error) is expected


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits address space in this way")
@pytest.mark.parametrize("kilobytes", [500_000, 600_000, 800_000])
def test_a_limit_of_memory_does_not_abort_the_process(tmp_path, kilobytes):
    file = tmp_path / "problem.txt"
    mc.write(mc.datasets.randommp(50), file)
    command = f"ulimit -v {kilobytes}; exec {sys.executable} -m multicut solve {file} -s gnn"
    done = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert "error: loading torch takes about" in done.stderr.splitlines()[-1]


def test_a_loader_whose_time_is_up_starts_nothing():
    before = threading.active_count()
    loader = Loader(None, "cpu", "gcn_w_bn-randommp")
    loader._takes_long = True
    assert loader.load(Watch(Stop(0.0)), lambda: True) is None
    assert threading.active_count() == before


@pytest.mark.parametrize(("is_initialized", "expected"), [(False, True), (True, False)])
def test_the_first_use_of_a_gpu_takes_long_like_an_import(monkeypatch, is_initialized, expected):
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: is_initialized)
    assert Loader(None, None, "any")._takes_long is expected
    assert Loader("name", "cuda:0", "any")._takes_long is expected
    assert not Loader("name", "cpu", "any")._takes_long
    assert not Loader(object(), None, "any")._takes_long  # loaded, and stays where it is


def test_whether_there_is_a_gpu_is_told_without_importing_torch():
    code = """
import ctypes, sys
ctypes.CDLL = lambda name: None  # as if there were a driver
from multicut.models.devices import may_have_gpu
print(may_have_gpu(), "torch" in sys.modules)
"""
    assert run_python(code).split() == ["True", "False"]


def test_kernels_are_compiled_once_for_each_device(monkeypatch):
    monkeypatch.setattr(loading, "_warm", set())
    warmed = []
    for _ in range(2):
        loader = GpuLoader("cpu", warmed.append)
        loader.load(Watch(Stop()), lambda: False)
        assert str(loader.device) == "cpu"
    assert [str(device) for device in warmed] == ["cpu"]


def test_a_limit_holds_while_kernels_are_compiled(monkeypatch):
    monkeypatch.setattr(loading, "_warm", set())
    done = threading.Event()
    loader = GpuLoader("cpu", lambda _: done.wait(60))
    loader.load(Watch(Stop()), lambda: True)
    assert loader.device is None
    done.set()
