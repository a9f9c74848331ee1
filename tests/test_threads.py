"""How many processors a process may use."""

from __future__ import annotations

import os

import numpy as np
import pytest

import multicut as mc
from multicut import _core, _threads
from multicut._threads import available_processors, check_threads
from tests.problems import random_problem


@pytest.fixture
def system(monkeypatch, tmp_path):
    """Make a system of 16 processors; its files are in the folder that comes back."""
    monkeypatch.setattr(os, "cpu_count", lambda: 16)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 16, raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)), raising=False)
    monkeypatch.setattr(_threads, "_PROC", tmp_path / "proc")
    monkeypatch.setattr(_threads, "_CGROUP", tmp_path / "cgroup")
    _threads._quota.cache_clear()
    yield tmp_path
    _threads._quota.cache_clear()


def write(path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n")
    _threads._quota.cache_clear()


@pytest.mark.usefixtures("system")
def test_a_system_that_says_nothing():
    assert available_processors() == 16


@pytest.mark.usefixtures("system")
def test_affinity_is_the_most(monkeypatch):
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 5}, raising=False)
    assert available_processors() == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("max 100000", 16),
        ("350000 100000", 3),
        ("50000 100000", 1),
        ("9900000 100000", 16),
        ("nonsense", 16),
    ],
)
def test_the_quota_of_a_container(system, text, expected):
    write(system / "cgroup/cpu.max", text)
    assert available_processors() == expected


def test_the_quota_of_the_first_version_of_control_groups(system):
    write(system / "cgroup/cpu/cpu.cfs_quota_us", "200000")
    write(system / "cgroup/cpu/cpu.cfs_period_us", "100000")
    assert available_processors() == 2
    write(system / "cgroup/cpu/cpu.cfs_quota_us", "-1")
    assert available_processors() == 16


@pytest.mark.parametrize(
    ("membership", "folder"), [("0::/jobs/17", ""), ("4:cpu,cpuacct:/jobs/17", "cpu/")]
)
def test_limits_of_all_groups_around_the_process_hold(system, membership, folder):
    write(system / "proc/self/cgroup", f"9:memory:/elsewhere\n{membership}")
    write(system / f"cgroup/{folder}jobs/17/cpu.max", "800000 100000")
    assert available_processors() == 8
    write(system / f"cgroup/{folder}jobs/cpu.max", "500000 100000")
    assert available_processors() == 5
    write(system / f"cgroup/{folder}elsewhere/cpu.max", "100000 100000")
    assert available_processors() == 5


def test_numbers_of_threads_are_checked(system):
    write(system / "cgroup/cpu.max", "300000 100000")
    assert check_threads() == check_threads(None) == 3
    assert check_threads(np.int64(7)) == 7
    with pytest.raises(ValueError, match=r"num_workers must be at least 1 .* got 0"):
        check_threads(0, "num_workers")


def test_every_solver_uses_as_many_threads_as_it_is_told_or_may(system, monkeypatch):
    """What reaches the native core, which has no default of its own."""
    seen = set()

    def spy(name):
        original = getattr(_core, name)

        def call(*given, **named):
            seen.add((name, named["num_threads"] if "num_threads" in named else given[-1]))
            return original(*given, **named)

        return call

    for name in ("fusion", "pack_cycles", "separate_cycles"):
        monkeypatch.setattr(_core, name, spy(name))
    write(system / "cgroup/cpu.max", "300000 100000")
    problem = random_problem(30, 0.5, seed=1)
    problems = {"fusion": {"fusion"}, "lp": {"separate_cycles"}}
    problems["ilp"] = problems["lp"] | {"fusion"}
    problems["auto"] = problems["ilp"] | {"pack_cycles"}
    for solver, calls in problems.items():
        for threads, options in ((3, {}), (2, {"num_threads": 2})):
            seen.clear()
            mc.solve(problem, solver, **options)
            assert seen == {(name, threads) for name in calls}
    seen.clear()
    mc.lower_bound(problem)
    mc.solve(problem, "klj", bound=True)
    assert seen == {("pack_cycles", 3)}
    seen.clear()
    mc.solve_batch([problem], "klj", bound=True)
    mc.solve_batch([problem], "auto")
    assert {threads for _, threads in seen} == {1}
    seen.clear()
    mc.solve_batch([problem], "auto", num_threads=2)
    assert {threads for _, threads in seen} == {2}
