"""Table 2, on a GPU: what networks do with the same graphs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from multicut.benchmark.cache import Cell
from multicut.models import DEFAULT_MODEL
from multicut.models.registry import UNIVERSAL_MODEL, has_model
from multicut.partition import objective
from multicut.solve import solve
from paper.device_parts import open_device
from paper.repetition import quickest
from paper.settings import PaperSettings
from paper.table2.processor import (
    NETWORK,
    PART,
    PRECISION,
    graph_of,
    network_cell,
    result_cell,
    weights_of,
)

if TYPE_CHECKING:
    from multicut._arrays import IntArray
    from multicut.problem import Problem

# On this graph weights are loaded and kernels compiled before anything is timed.
_WARM_UP_NODES = 200
_SHORT = "bfloat16"
_EFFORTS = ("fastest", "fast", "balanced", "best")


@dataclass(frozen=True)
class Entrant:
    """One row of the table: a solver on a device.

    Attributes
    ----------
    solver
        What it is called.
    setting
        Which of its settings; empty if there is one only.
    model, precision
        The network that it asks, if any, and in which numbers that computes.
    measure
        ``measure(make, device)`` draws the graph and fills a cell.
    """

    solver: str
    setting: str
    measure: Callable[[Callable[[], Problem], str], Cell]
    model: str = ""
    precision: str = ""

    @property
    def name(self) -> str:
        """The solver and its setting."""
        return f"{self.solver} {self.setting}".strip()

    def key(self, size: int) -> str:
        """Name the cell of a graph."""
        network = f", {weights_of(self.model)} in {self.precision}" if self.model else ""
        return f"{self.name}{network}, {size} nodes"


def measure(settings: PaperSettings) -> None:
    """Fill the cache of the device."""
    import torch

    store = open_device(settings, PART)
    device = settings.device

    @cache
    def warm_up(entrant: Entrant) -> None:
        entrant.measure(graph_of(_WARM_UP_NODES), device)

    def cell(entrant: Entrant, problem: Callable[[], Problem]) -> Cell:
        warm_up(entrant)
        try:
            return entrant.measure(problem, device)
        except torch.OutOfMemoryError:
            return {"num_edges": problem().num_edges, "out_of_memory": True}

    for size in settings.sizes:
        problem = graph_of(size)
        for entrant in ENTRANTS:
            if not entrant.model or has_model(entrant.model):
                settings.report(f"{entrant.name} on {size:,} nodes, {device}")
                store.get(entrant.key(size), partial(cell, entrant, problem))


def _solve(effort: str, make: Callable[[], Problem], device: str) -> Cell:
    """Run the whole solver, classical solvers on the processor included."""
    problem = make()
    run = partial(solve, problem, "learned", device=device, effort=effort)
    return result_cell(run, problem, warm_up=True)


class _Partition(NamedTuple):
    labels: IntArray
    transfer_seconds: float
    seconds: float


def _partition(make: Callable[[], Problem], device: str) -> Cell:
    """Run ``multicut.nn.partition``: the network and moves of nodes, nothing on the processor."""
    from multicut.models import load_model
    from multicut.nn import GraphBatch, partition
    from multicut.nn.search.contraction_rounds import FEW_ROUNDS
    from paper.inference import wait_for

    problem = make()
    model = load_model(UNIVERSAL_MODEL, device)

    def run() -> _Partition:
        start = time.perf_counter()
        batch = GraphBatch.from_problems(problem, device=device)
        wait_for(batch.device)
        transfer = time.perf_counter() - start
        labels = partition(batch, model, sure=FEW_ROUNDS[8], precision=_SHORT)
        found = labels.cpu().numpy()  # waits for the device
        return _Partition(found, transfer, time.perf_counter() - start)

    best = quickest(run, lambda found: found.seconds, warm_up=True)
    return {
        "num_edges": problem.num_edges,
        "seconds": best.seconds,
        "transfer_seconds": best.transfer_seconds,
        "objective": objective(problem, best.labels),
        "out_of_time": False,
    }


ENTRANTS = (
    Entrant(NETWORK, "", network_cell, DEFAULT_MODEL, PRECISION),
    Entrant("nn.partition", "", _partition, UNIVERSAL_MODEL, _SHORT),
    *(Entrant("learned", effort, partial(_solve, effort)) for effort in _EFFORTS),
)
