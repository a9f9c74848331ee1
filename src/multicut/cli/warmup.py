"""``multicut warmup``: compile what a GPU needs, once."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from multicut.cli.console import output
from multicut.problem import Problem

# Conflicted cycles of these lengths, apart from each other: there is a kernel for each.
_LENGTHS = (3, 4, 6, 8, 12)


def warmup(
    device: Annotated[
        str | None, typer.Option(help="Such as cuda:1; by default every GPU.", show_default=False)
    ] = None,
) -> None:
    """Compile the kernels that solvers use on a GPU.

    Triton keeps them on disk, so that later programs start without that wait.
    """
    from multicut._extras import NETWORKS, needed

    needed(*NETWORKS, by="multicut warmup")
    from multicut.bound import lower_bound
    from multicut.models.devices import all_gpus, as_device
    from multicut.solvers.learned.packing_search import warm_up

    for name in all_gpus() if device is None else [device]:
        place = as_device(name)
        start = time.perf_counter()
        warm_up(place)
        lower_bound(_rings(), device=name)
        output().print(f"{place}: ready after {time.perf_counter() - start:.1f} s", highlight=False)
    if device is None and not all_gpus():
        raise ValueError("torch finds no GPU, so there is nothing to compile; solve on the CPU")


def _rings() -> Problem:
    """Return cycles, each with one repulsive edge."""
    edges: list[tuple[int, int]] = []
    costs: list[float] = []
    for length in _LENGTHS:
        first = len(edges)
        edges += [(first + i, first + (i + 1) % length) for i in range(length)]
        costs += [2.0] * (length - 1) + [-1.0]
    return Problem(edges, costs)
