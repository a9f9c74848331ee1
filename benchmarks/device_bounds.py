"""Print lower bounds against time on a device, and what native threads reach in seconds.

Run it from the root of the repository::

    python benchmarks/device_bounds.py --device cuda --nodes 100000 1000000
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
import torch

import multicut as mc
from multicut.nn.search.packing_bound import PackingBound


def main() -> None:
    """Parse arguments, then print one table for each size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--nodes", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--seconds", type=float, default=3.0, help="per graph, at most")
    parser.add_argument("--profile", type=float, help="show where so many seconds go")
    arguments = parser.parse_args()
    device = torch.device(arguments.device)
    list(bounds_of(mc.datasets.randommp(2_000, seed=1), device, 5.0))  # compiles kernels
    for num_nodes in arguments.nodes:
        problem = mc.datasets.randommp(num_nodes, seed=0)
        print(f"{num_nodes} nodes, {problem.num_edges} edges")
        list(bounds_of(problem, device, 0.1))
        if device.type == "cuda":
            torch.cuda.reset_peak_memory_stats(device)
        before = None
        for seconds, bound, stage in bounds_of(problem, device, arguments.seconds):
            if bound != before or stage == "squares":
                print(f"  {1e3 * seconds:9.1f} ms {bound:16.2f}  {stage}")
            before = bound
        if device.type == "cuda":
            print(f"  peak {torch.cuda.max_memory_allocated(device) / 2**30:.2f} GiB")
        if arguments.profile:
            show_profile(problem, device, arguments.profile)
        for limit in (0.08, 0.17, 0.5):
            start = time.perf_counter()
            bound = mc.lower_bound(problem, limit, device=arguments.device)
            print(f"  lower_bound(time_limit={limit}): {bound:.2f} in", end=" ")
            print(f"{1e3 * (time.perf_counter() - start):.1f} ms")


def show_profile(problem: mc.Problem, device: torch.device, seconds: float) -> None:
    """Print the operations that take longest."""
    from torch.profiler import profile

    with profile() as found:
        list(bounds_of(problem, device, seconds))
    averages = found.key_averages()
    key = "self_device_time_total" if device.type == "cuda" else "self_cpu_time_total"
    for row in sorted(averages, key=lambda one: -getattr(one, key))[:25]:
        print(f"  {getattr(row, key) / 1e3:9.2f} ms {row.count:6d} times  {row.key[:80]}")


def bounds_of(problem: mc.Problem, device: torch.device, seconds: float):
    """Yield seconds, the bound, and what was done, from arrays in memory to the bound."""
    start = time.perf_counter()
    edges = torch.from_numpy(problem.edges.astype(np.int32)).to(device).T.to(torch.int64)
    costs = torch.from_numpy(problem.costs.copy()).to(device)
    if device.type == "cuda":
        torch.cuda.synchronize(device)
    yield time.perf_counter() - start, -math.inf, "copied"
    packing = PackingBound(edges, costs, problem.num_nodes)
    for stage in packing.improve():
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        spent = time.perf_counter() - start
        yield spent, packing.bound, stage
        if spent > seconds:
            return


if __name__ == "__main__":
    main()
