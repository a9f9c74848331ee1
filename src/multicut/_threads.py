"""How many threads to compute with: one answer for the whole package.

Containers and batch systems give a process some of the processors, by its affinity or by a quota of
its control group. More threads than these only wait for each other.
"""

from __future__ import annotations

import math
import os
from functools import cache
from pathlib import Path, PurePosixPath

from multicut._checks import Integer

_PROC = Path("/proc")
_CGROUP = Path("/sys/fs/cgroup")


def check_threads(num_threads: object = None, name: str = "num_threads") -> int:
    """Return a number of threads: the given one, or by default what this process may use."""
    return available_processors() if num_threads is None else Integer(1).check(name, num_threads)


def available_processors() -> int:
    """Return how many processors this process may use, by its affinity and its control group."""
    counts = [_quota()]
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; it obeys PYTHON_CPU_COUNT
        counts.append(os.process_cpu_count() or math.inf)
    if hasattr(os, "sched_getaffinity"):
        counts.append(len(os.sched_getaffinity(0)))
    else:  # which takes a tenth of the time of a small solve
        counts.append(all_processors())
    return max(1, math.floor(min(counts)))


def all_processors() -> int:
    """Return how many processors the machine has, whoever may use them."""
    return os.cpu_count() or 1


@cache
def _quota() -> float:
    """Return how many processors the control groups of this process may use; inf if all.

    Groups are nested, and the limit of each holds. A limit that changes later is not seen: to read
    the files takes as long as it takes to solve a small problem.
    """
    return min((_limit(folder) for folder in _group_folders()), default=math.inf)


def _group_folders() -> list[Path]:
    """Return the folders of the group of this process and of those around it."""
    roots = {_CGROUP, _CGROUP / "cpu"}  # in a container its own group is the root
    folders = set(roots)
    try:
        lines = (_PROC / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        lines = []
    for line in lines:
        # Such as "0::/jobs/17" (version 2) or "4:cpu,cpuacct:/jobs/17" (version 1).
        _, _, rest = line.partition(":")
        controllers, _, group = rest.partition(":")
        if controllers == "" or "cpu" in controllers.split(","):
            path = PurePosixPath(group.lstrip("/"))
            folders |= {root / each for root in roots for each in (path, *path.parents)}
    return sorted(folders)


def _limit(folder: Path) -> float:
    """Return how many processors one group may use; inf if all, or if it has no such file."""
    try:
        quota, period = (folder / "cpu.max").read_text(encoding="ascii").split()
    except (OSError, ValueError):
        try:  # the first version of control groups
            quota = (folder / "cpu.cfs_quota_us").read_text(encoding="ascii")
            period = (folder / "cpu.cfs_period_us").read_text(encoding="ascii")
        except (OSError, ValueError):
            return math.inf
    try:
        share = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):  # "max"
        return math.inf
    return share if share > 0 else math.inf  # -1 means no limit
