"""Peak memory of one contender on one graph, in a process of its own."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut.benchmark.instances import EdgeArrays


def peak_memory(contest: str, side: str, arrays: EdgeArrays) -> int:
    """Return how many bytes building and solving need beyond the edge arrays themselves.

    Parameters
    ----------
    contest
        A name in :data:`multicut.benchmark.contests.CONTESTS`.
    side
        ``"ours"`` or ``"peer"``.
    arrays
        The graph.
    """
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "edges.npy", arrays.edges)
        np.save(Path(folder) / "costs.npy", arrays.costs)
        command = [sys.executable, "-m", __name__, contest, side, str(arrays.num_nodes), folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message"
        raise RuntimeError(f"measuring the memory of {contest} ({side}) failed: {reason}")
    return int(done.stdout)


def _measure(contest_name: str, side: str, num_nodes: int, folder: Path) -> int:
    from multicut.benchmark.contests import CONTESTS
    from multicut.benchmark.instances import TINY, EdgeArrays

    contest = CONTESTS[contest_name]
    contender = contest.ours() if side == "ours" else contest.peer()
    # A first tiny run loads all libraries, so that their code does not count.
    contender.solve(contender.build(contender.prepare(TINY)))
    prepared = contender.prepare(
        EdgeArrays(num_nodes, np.load(folder / "edges.npy"), np.load(folder / "costs.npy"))
    )
    before = _reset_peak()
    contender.solve(contender.build(prepared))
    return max(0, _peak() - before)


def _reset_peak() -> int:
    """Return the memory in use, and let the peak start from there where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return _peak()


def _peak() -> int:
    try:
        # ru_maxrss would include the peak of the process that started this one.
        return _status("VmHWM")
    except OSError:
        import resource  # not on Windows

        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _status(field: str) -> int:
    match = re.search(rf"^{field}:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    if match is None:
        raise OSError(f"/proc/self/status has no {field}")
    return 1024 * int(match.group(1))


if __name__ == "__main__":
    print(_measure(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
