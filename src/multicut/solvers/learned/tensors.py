"""The solver ``learned`` for graphs that are on a device already: no data leaves it."""

from __future__ import annotations

import math
import threading
import time
from typing import TYPE_CHECKING

import torch

from multicut.interrupts import obeying_interrupts
from multicut.nn.device_result import DeviceResult
from multicut.nn.threads import threads_for
from multicut.solvers.gnn.inference import Stopped, stop_check
from multicut.solvers.learned.packing_search import connected, no_worse_than_trivial, search_batch
from multicut.solvers.learned.solver import PROPOSALS_ON_GPU, RECORD, LearnedOptions
from multicut.stop import StopReason
from multicut.watch import Watch

if TYPE_CHECKING:
    from multicut.nn.batch import GraphBatch
    from multicut.stop import Stop

# Numbers that are kept for each edge.
_WIDTH = 8


def solve_tensors(
    batch: GraphBatch, options: LearnedOptions, stop: Stop, seed: int
) -> DeviceResult:
    """Partition graphs where they are; there is no ``gaec`` to compare with."""
    _check(batch, options)
    start = time.perf_counter()
    watch = Watch(stop)
    interrupted = threading.Event()

    def is_over() -> bool:
        if interrupted.is_set():
            watch.stop(StopReason.INTERRUPT)
        return watch.should_stop()

    check = stop_check(
        batch.device, math.isfinite(stop.seconds), is_over, lambda: watch.seconds_left
    )
    with (
        obeying_interrupts(interrupted),
        torch.no_grad(),
        threads_for(batch.num_edges, _WIDTH, batch.device, options.num_threads),
    ):
        try:
            labels = search_batch(
                batch, proposals=PROPOSALS_ON_GPU[options.effort], seed=seed, check=check
            )
        except Stopped:
            nodes = torch.arange(batch.num_nodes, device=batch.device)
            labels = connected(batch, no_worse_than_trivial(batch, nodes))
        first, second = batch.edges
        cut = labels[first] != labels[second]
        objectives = batch.objectives(cut)
    if batch.device.type == "cuda":
        torch.cuda.synchronize(batch.device)
    return DeviceResult(
        labels=labels,
        cut=cut,
        objectives=objectives,
        solver=RECORD.name,
        seed=seed,
        runtime=time.perf_counter() - start,
        stopped_by=watch.stopped_by,
    )


def _check(batch: GraphBatch, options: LearnedOptions) -> None:
    """Raise for options that only problems of the host have."""
    if options.use_network or options.model is not None:
        raise TypeError(
            "model and use_network are for a Problem; for a GraphBatch use "
            "multicut.nn.partition(batch, model)"
        )
    if options.device is not None and torch.device(options.device).type != batch.device.type:
        raise ValueError(
            f"device must be that of the batch, {str(batch.device)!r}, got {options.device!r}; "
            "leave it out"
        )
