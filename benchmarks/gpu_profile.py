"""Print where the time of ``learned``, of bounds and of ``auto`` goes on a machine with a GPU.

Run it from the root of the repository; on a GPU it takes about a minute and a half::

    python benchmarks/gpu_profile.py --sizes 10000 100000 1000000
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import torch

import multicut as mc
from multicut.nn.search.partitioning import partition
from multicut.solvers import protocol
from multicut.solvers.gnn.plain_problem import PlainProblem
from multicut.solvers.learned import attempt, packing_search, stages

EFFORTS = ("fastest", "fast")
LIMITS = (0.1, 0.3, 1.0, 2.0)


def main() -> None:
    """Print everything, the most wanted first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=95.0, help="begin nothing after that")
    arguments = parser.parse_args()
    start = time.perf_counter()
    device = torch.device(arguments.device)
    is_gpu = device.type == "cuda"
    place = torch.cuda.get_device_name(device) if is_gpu else "cpu"
    print(f"{place}, torch {torch.__version__}, {len(os.sched_getaffinity(0))} processors")
    problems = []
    for size in arguments.sizes:
        began = time.perf_counter()
        problems.append(mc.datasets.randommp(size, seed=0))
        print(
            f"{size} nodes, {problems[-1].num_edges} edges: made in {time.perf_counter() - began:.2f} s"
        )
    stages._FEW_EDGES_FOR_GPU = 0
    warm(arguments.device)
    steps: list[tuple[str, Callable[[], object]]] = [("bandwidth", partial(bandwidth, device))]
    for problem in problems:
        steps.append(("gaec", partial(native, problem, arguments)))
    for problem in problems:
        steps.append(("learned", partial(learned, problem, arguments)))
    for problem in problems[1:]:
        steps.append(("bounds", partial(bounds, problem, arguments)))
    steps.append(("auto", partial(auto, problems[-1], arguments)))
    for problem in problems:
        steps.append(("kernels", partial(kernels, problem, device, 0)))
    steps.append(("kernels", partial(kernels, problems[-1], device, 1)))
    for name, step in steps:
        spent = time.perf_counter() - start
        if spent > arguments.seconds:
            print(f"left out after {spent:.1f} s: {name}")
            continue
        print(f"--- {name} at {spent:.1f} s", flush=True)
        try:
            step()
        except Exception as error:  # the rest is still wanted
            print(f"  failed: {error!r}")
    print(f"done after {time.perf_counter() - start:.1f} s")


def warm(device: str) -> None:
    """Compile all kernels."""
    problem = mc.datasets.randommp(3_000, seed=1)
    for effort in ("fastest", "fast", "balanced"):
        began = time.perf_counter()
        mc.solve(problem, "learned", device=device, effort=effort)
        print(f"warm-up, {effort}: {time.perf_counter() - began:.2f} s")
    began = time.perf_counter()
    mc.lower_bound(problem, device=device, time_limit=3)
    print(f"warm-up, bound: {time.perf_counter() - began:.2f} s")


def timed(work: Callable[[], Any], repeats: int) -> tuple[Any, list[float]]:
    """Return the last outcome, and how long each repetition took in milliseconds."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        outcome = work()
        wait()
        times.append(1e3 * (time.perf_counter() - began))
    return outcome, times


def wait() -> None:
    """Let the GPU finish."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def shown(times: list[float]) -> str:
    """Return times as text."""
    return " ".join(f"{one:.1f}" for one in times) + " ms"


def bandwidth(device: torch.device) -> None:
    """Measure how fast bytes move: on the device, there and back."""
    size = 2**28 if device.type == "cuda" else 2**24
    one = torch.zeros(size, dtype=torch.float32, device=device)
    other = torch.empty_like(one)
    other.copy_(one)
    _, times = timed(lambda: other.copy_(one), 5)
    print(f"  copy on the device: {2 * 4 * size / min(times) / 1e9:.3f} TB/s")
    host = torch.zeros(2**24)
    _, times = timed(lambda: host.to(device), 4)
    print(f"  there, pageable: {4 * 2**24 / min(times) / 1e6:.1f} GB/s")
    if device.type == "cuda":
        pinned = host.pin_memory()
        _, times = timed(lambda: pinned.to(device), 4)
        print(f"  there, pinned: {4 * 2**24 / min(times) / 1e6:.1f} GB/s")
        small = torch.zeros(8, device=device)
        _, times = timed(lambda: small.tolist(), 20)
        print(f"  one small answer: {min(times):.3f} ms")
        _, times = timed(lambda: [small.add_(1) for _ in range(100)], 5)
        print(f"  a small kernel: {min(times) / 100:.4f} ms")


def native(problem: mc.Problem, arguments: argparse.Namespace) -> None:
    """Time what classical solvers take."""
    size = problem.num_edges
    repeats = arguments.repeats if size > 1_000_000 else 2 * arguments.repeats + 3
    found, times = timed(lambda: mc.solve(problem, "gaec"), repeats)
    print(f"  {size} edges, gaec: {found.objective:.0f} in {shown(times)}")
    for threads in (1, 2, 4, 8, 16):
        found, times = timed(
            lambda threads=threads: mc.solve(problem, "dual-greedy", num_threads=threads),
            min(repeats, 3) if size < 1_000_000 else 1,
        )
        print(
            f"  {size} edges, dual-greedy {threads} threads: {found.objective:.0f} in {shown(times)}"
        )


def learned(problem: mc.Problem, arguments: argparse.Namespace) -> None:
    """Time the solver by stage, with a GPU and without."""
    size = problem.num_edges
    for effort in EFFORTS:
        for use_network in (None, False) if size < 1_000_000 else (None,):
            solve = partial(
                mc.solve,
                problem,
                "learned",
                device=arguments.device,
                effort=effort,
                use_network=use_network,
            )
            found, times = timed(solve, arguments.repeats + 1)
            where = "processor" if use_network is False else arguments.device
            stages_of = {
                name: round(1e3 * one, 2) for name, one in found.details["seconds"].items()
            }
            print(
                f"  {size} edges, {effort} on {where}: {found.objective:.0f} in {shown(times)}; {stages_of}"
            )
            with measured() as laps:
                found, times = timed(solve, 1)
            print(
                f"    with waits {shown(times)}: "
                + ", ".join(f"{n} {1e3 * s:.2f}" for n, s in laps.items())
            )
    batch, times = timed(
        lambda: mc.nn.GraphBatch.from_problems(problem, device=arguments.device), 3
    )
    print(f"  {size} edges, from_problems: {shown(times)}")
    for proposals in (0, 1):
        _, times = timed(lambda proposals=proposals: partition(batch, proposals=proposals), 4)
        print(f"  {size} edges, partition from tensors, {proposals} proposals: {shown(times)}")


@contextmanager
def measured() -> Iterator[dict[str, float]]:
    """Note how long functions take, the GPU waited for before and after each."""
    laps: dict[str, float] = {}
    places = [
        (PlainProblem, "of"),
        (packing_search.GraphBatch, "from_arrays"),
        (packing_search, "search_batch"),
        (packing_search, "no_worse_than_trivial"),
        (packing_search, "canonical"),
        (packing_search, "search"),
        (protocol, "evaluate_all"),
        (attempt.LearnedAttempt, "take_from_gpu"),
        (attempt.Attempt, "_take_regions"),
        (attempt.LearnedAttempt, "finish"),
        (stages.LearnedSolve, "_start_gaec"),
        (stages.LearnedSolve, "_take_gaec"),
        (stages.LearnedSolve, "_choose_gpu"),
        (stages.LearnedSolve, "_run_stage"),
        (stages.LearnedSolve, "__init__"),
        (stages.LearnedSolve, "run"),
    ]
    before = [(owner, name, owner.__dict__[name]) for owner, name in places]

    def wrapped(function: Callable[..., Any], name: str) -> Callable[..., Any]:
        def timed_call(*args: Any, **kwargs: Any) -> Any:
            wait()
            began = time.perf_counter()
            try:
                return function(*args, **kwargs)
            finally:
                wait()
                laps[name] = laps.get(name, 0.0) + time.perf_counter() - began

        return timed_call

    for owner, name, old in before:
        if isinstance(old, classmethod):
            setattr(owner, name, classmethod(wrapped(old.__func__, name)))
        else:
            setattr(owner, name, wrapped(old, name))
    try:
        yield laps
    finally:
        for owner, name, old in before:
            setattr(owner, name, old)


def bounds(problem: mc.Problem, arguments: argparse.Namespace) -> None:
    """Compute lower bounds on the device."""
    mc.lower_bound(problem, 0.1, device=arguments.device)
    if arguments.device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats()
    for limit in (0.03, 0.05, 0.08, 0.12, 0.17, 0.5):
        bound, times = timed(
            lambda limit=limit: mc.lower_bound(problem, limit, device=arguments.device), 2
        )
        print(f"  {problem.num_edges} edges, limit {limit}: {bound:.0f} in {shown(times)}")
    if arguments.device.startswith("cuda"):
        print(f"  peak {torch.cuda.max_memory_allocated() / 2**30:.2f} GiB")
    from device_bounds import bounds_of

    said = []
    for seconds, bound, stage in bounds_of(problem, torch.device(arguments.device), 0.25):
        said.append(f"{1e3 * seconds:.1f} {bound:.0f} {stage}")
    print("  stages: " + "; ".join(said[:60]))


def auto(problem: mc.Problem, arguments: argparse.Namespace) -> None:
    """Solve under limits."""
    for limit in LIMITS:
        for _ in range(3):
            began = time.perf_counter()
            found = mc.solve(problem, time_limit=limit)
            spent = time.perf_counter() - began
            parts = {
                name: round(1e3 * one) for name, one in found.details.get("seconds", {}).items()
            }
            print(
                f"  limit {limit}: {found.objective:.0f} in {spent:.3f} s, over by "
                f"{1e3 * (spent - limit):.0f} ms, {found.stopped_by}, {found.details.get('chosen')}, {parts}"
            )


def kernels(problem: mc.Problem, device: torch.device, proposals: int) -> None:
    """Profile search on the device from tensors: what kernels take, and how much the device idles."""
    from torch.profiler import ProfilerActivity, profile

    batch = mc.nn.GraphBatch.from_problems(problem, device=device)
    for _ in range(2):
        partition(batch, proposals=proposals)
    wait()
    kinds = [ProfilerActivity.CPU]
    key = "self_cpu_time_total"
    if device.type == "cuda":
        kinds.append(ProfilerActivity.CUDA)
        key = "self_device_time_total"
    began = time.perf_counter()
    with profile(activities=kinds) as found:
        partition(batch, proposals=proposals)
        wait()
    spent = time.perf_counter() - began
    rows = found.key_averages()
    total = (
        sum(getattr(row, key) for row in rows if row.device_type == torch.autograd.DeviceType.CUDA)
        if device.type == "cuda"
        else sum(getattr(row, key) for row in rows)
    )
    count = sum(
        row.count
        for row in rows
        if row.key
        in ("cudaLaunchKernel", "cuLaunchKernel", "cuLaunchKernelEx", "cudaLaunchKernelExC")
    )
    syncs = {
        row.key: (row.count, round(row.self_cpu_time_total / 1e3, 2))
        for row in rows
        if "ynchronize" in row.key
        or "Memcpy" in row.key
        or "emset" in row.key
        or row.key in ("aten::item", "aten::nonzero", "aten::unique_consecutive", "aten::sort")
    }
    print(
        f"  {problem.num_edges} edges, {proposals} proposals: {1e3 * spent:.1f} ms profiled, device busy {total / 1e3:.2f} ms, {count} launches; {syncs}"
    )
    for row in sorted(rows, key=lambda one: -getattr(one, key))[:16]:
        if getattr(row, key) > 0:
            print(f"    {getattr(row, key) / 1e3:8.2f} ms {row.count:5d} times  {row.key[:90]}")


if __name__ == "__main__":
    main()
