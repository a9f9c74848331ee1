"""Fail every allocation of the native module, one after the other: each must be a MemoryError.

``python -m trust.allocations`` compiles ``trust/native/failing_new.cpp`` and runs itself with it.
"""

from __future__ import annotations

import argparse
import ctypes
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc

RESULTS = Path(__file__).parent / "results" / "allocations.json"
_SOURCE = Path(__file__).parent / "native" / "failing_new.cpp"
_ARMED = "MULTICUT_FAILING_NEW"


def compiled(folder: Path) -> Path:
    """Compile the library that makes allocations fail."""
    library = folder / "failing_new.so"
    compiler = os.environ.get("CXX", "c++")
    subprocess.run(
        [compiler, "-std=c++17", "-O2", "-shared", "-fPIC", str(_SOURCE), "-o", str(library)],
        check=True,
    )
    return library


def run(step: int, names: list[str] | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run the campaign in a process of its own, in which allocations can fail."""
    with tempfile.TemporaryDirectory() as folder:
        library = compiled(Path(folder))
        environment = os.environ | {"LD_PRELOAD": str(library), _ARMED: "1"}
        command = [sys.executable, "-m", "trust.allocations", "--step", str(step)]
        return subprocess.run(
            command + (["--only", *names] if names else []),
            env=environment,
            capture_output=True,
            check=False,
        )


def calls() -> dict[str, Callable[[], Any]]:
    """Return what is tried: everything that is built on the native module alone."""
    problem = mc.datasets.randommp(40, seed=1)
    rng = np.random.default_rng(0)
    lifted = mc.Problem(
        problem.edges,
        problem.costs,
        problem.num_nodes,
        lifted_edges=rng.integers(0, problem.num_nodes, (60, 2)),
        lifted_costs=rng.normal(size=60),
    )
    constrained = problem.costs.copy()
    constrained[:3] = np.inf
    linked = mc.Problem(problem.edges, constrained, problem.num_nodes)
    labels = rng.integers(0, 5, (6, 7, 8)).astype(np.uint32)
    affinities = rng.random((3, 12, 12))
    text = b"u,v,cost\n" + b"".join(b"n%d,n%d,1.5\n" % (i, i + 1) for i in range(40))
    found: dict[str, Callable[[], Any]] = {
        "problem": lambda: mc.Problem(rng.integers(0, 99, (200, 2)) * 7, rng.normal(size=200)),
        "read names": lambda: mc.read(_stream(text), format="edges"),
        "read numbers": lambda: mc.read(_stream(b"3\n1 -1 1\n"), format="cplib"),
        "lower_bound": lambda: mc.lower_bound(problem),
        "reduce": lambda: mc.reduce(problem),
        "region graph": lambda: mc.vision.region_graph(labels),
        "pixels": lambda: mc.vision.mutex_watershed(affinities, [[0, 1], [1, 0], [0, 5]]),
        "batch": lambda: mc.solve_batch([problem, linked], "klj", num_workers=1),
    }
    for record in mc.list_solvers():
        if record.task is not None:
            own = {"max_rounds": 2} if record.name == "memetic" else {}
            found[record.name] = lambda name=record.name, own=own: mc.solve(linked, name, **own)
        if record.lifted_task is not None:
            own = {"linkage": "max-abs"} if record.name == "gasp" else {}
            found[f"{record.name}, lifted"] = lambda name=record.name, own=own: mc.solve(
                lifted, name, **own
            )
    return found


def _stream(content: bytes) -> Any:
    return io.BytesIO(content)


def main() -> None:
    """Fail allocations, and say what did not become a MemoryError."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--step", type=int, default=1, help="fail every so manieth allocation")
    parser.add_argument("--only", nargs="+", help="names of calls")
    parser.add_argument("--record", action="store_true", help="write to the file of results")
    arguments = parser.parse_args()
    if _ARMED not in os.environ:
        done = run(arguments.step, arguments.only)
        lines = [line.split("\r")[-1] for line in done.stdout.decode().split("\n")]
        print("\n".join(lines) + done.stderr.decode(), end="")
        if arguments.record:
            numbers = re.findall(r"(\d+) failures injected, (\d+) became", lines[-2])
            document = {"injected": int(numbers[0][0]), "wrong": int(numbers[0][1])}
            RESULTS.write_text(json.dumps(document, indent=2) + "\n")
        if done.returncode < 0:
            raise SystemExit(f"crashed (signal {-done.returncode}) at {lines[-1]}")
        raise SystemExit(done.returncode)
    fail = ctypes.CDLL(None).fail_allocation
    fail.restype, fail.argtypes = ctypes.c_long, (ctypes.c_long, ctypes.c_int)
    total = wrong = 0
    for name, call in calls().items():
        if arguments.only and name not in arguments.only:
            continue
        call()  # imports, and what is made once
        fail(-1, 0)
        call()
        count = fail(-1, 0)
        silent = 0
        for position in range(0, count, max(arguments.step, count // 400)):
            for all_later in (0, 1):
                total += 1
                print(f"{name}: {position}", end="\r", flush=True)
                fail(position, all_later)
                try:
                    call()
                    silent += 1
                except MemoryError:
                    pass
                except BaseException as error:
                    fail(-1, 0)
                    wrong += 1
                    print(f"{name}: allocation {position}: {type(error).__name__}: {error}")
                finally:
                    fail(-1, 0)
        print(
            f"{name}: {count} allocations, {silent} failures handled without an error", flush=True
        )
        call()
    print(f"{total} failures injected, {wrong} became another error than MemoryError")
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
