"""Lower bounds of the optimum, for problems of any size."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut import _core
from multicut._extras import needed
from multicut._threads import check_threads
from multicut.exact.union import Union
from multicut.models.devices import as_device
from multicut.models.loading import is_shortage
from multicut.problem import Problem, check_problem
from multicut.stop import Stop, StopReason

if TYPE_CHECKING:
    from collections.abc import Iterator

    import torch

    from multicut.stop import NativeCallback

_ENDLESS = 200  # rounds: it ends by itself long before
# On a device, numbers that are kept for each edge and the cycles through it.
_NUMBERS_PER_EDGE = 16


def lower_bound(
    problem: Problem,
    time_limit: float | None = None,
    *,
    num_threads: int | None = None,
    device: torch.device | str | None = None,
) -> float:
    """Compute a number that no partition costs less than.

    Cycles with one repulsive edge are packed into the graph; each forces every partition to pay.
    Given time, the bound comes within about 0.01 % of that of the cycle relaxation (what ``lp``
    computes), at a fraction of its cost; it grows with the time there is, and is tight enough to be
    useful after a fraction of a second on 100,000 nodes.

    Parameters
    ----------
    problem
        The graph and its costs.
    time_limit
        Seconds after which the best bound so far is returned. So does Ctrl-C.
    num_threads
        By default as many as this process may use. The bound does not depend on their number,
        unless the time limit ends the search.
    device
        Where to compute it with torch, such as ``"cuda"``; by default natively on the processor. On
        a GPU, bounds of graphs with a million edges and more come much sooner. They are the same
        each time on one kind of device. Where its memory is too small, the processor goes on.
    """
    check_problem(problem)
    if device is not None and num_threads is not None:
        raise TypeError(
            f"num_threads={num_threads!r} is for bounds without a device, got device="
            f"{str(device)!r}; leave one of them out"
        )
    return bound_from_below(problem, Stop(time_limit), None, num_threads, device=device)[0]


def bound_from_below(
    problem: Problem,
    stop: Stop,
    callback: NativeCallback | None = None,
    num_threads: int | None = None,
    max_rounds: int | None = None,
    max_steps: float = math.inf,
    *,
    device: torch.device | str | None = None,
    num_ordinary: int | None = None,
) -> tuple[float, StopReason]:
    """Compute a lower bound; return it and why the search ended.

    Where it should not take all the time there is, `max_rounds` or `max_steps` limits the work; a
    step takes about a nanosecond. `callback` hears the bound so far and the seconds elapsed. On a
    device the number of threads and these limits do not apply. `num_ordinary` is for the union of
    both kinds of edges of a lifted problem: later edges are lifted.
    """
    if problem.is_lifted:
        return _bound_lifted(
            problem, stop, callback, num_threads, max_rounds, max_steps, device=device
        )
    if device is not None:
        return _bound_on_device(problem, stop, callback, as_device(device))
    bound, _, _, stopped_by = _core.pack_cycles(
        problem.graph,
        problem.costs,
        num_threads=check_threads(num_threads),
        max_rounds=_ENDLESS if max_rounds is None else max_rounds,
        max_steps=max_steps,
        time_limit=stop.seconds,
        callback=callback,
        num_ordinary=num_ordinary,
    )
    return bound, StopReason(stopped_by)


def _bound_on_device(
    problem: Problem, stop: Stop, callback: NativeCallback | None, device: torch.device
) -> tuple[float, StopReason]:
    start = time.perf_counter()
    best, stopped_by = -math.inf, StopReason.CONVERGED
    if stop.seconds == 0:
        return bound_from_below(problem, stop)
    try:
        for bound in _bounds_on_device(problem, device):
            best = max(best, bound)
            elapsed = time.perf_counter() - start
            if callback is not None and callback(best, elapsed):
                stopped_by = StopReason.CALLBACK
            elif elapsed >= stop.seconds:
                stopped_by = StopReason.TIME_LIMIT
            if stopped_by is not StopReason.CONVERGED:
                break
    except (MemoryError, RuntimeError) as error:
        if not is_shortage(error):
            raise
        # The processor is slower, and has more memory.
        left = Stop(max(stop.seconds - (time.perf_counter() - start), 0.0))
        found, stopped_by = bound_from_below(problem, left, callback)
        best = max(best, found)
    except KeyboardInterrupt:
        stopped_by = StopReason.INTERRUPT
        if math.isinf(best):
            best = bound_from_below(problem, Stop(0.0))[0]
    return best, stopped_by


def _bounds_on_device(problem: Problem, device: torch.device) -> Iterator[float]:
    """Yield bounds, the same one again where there is time to stop."""
    needed("torch", by=f"device={str(device)!r}")
    import torch

    from multicut.nn.search.packing_bound import PackingBound
    from multicut.nn.threads import threads_for

    with torch.inference_mode(), threads_for(problem.num_edges, _NUMBERS_PER_EDGE, device):
        # Half as many bytes to copy.
        index_type = np.int32 if problem.num_nodes <= 2**31 else np.int64
        edges = torch.from_numpy(problem.edges.astype(index_type)).to(device)
        costs = torch.from_numpy(problem.costs.copy()).to(device)
        packing = PackingBound(edges.T.to(torch.int64), costs, problem.num_nodes)
        yield packing.bound
        for _ in packing.improve():
            yield packing.bound


def _bound_lifted(
    problem: Problem,
    stop: Stop,
    callback: NativeCallback | None,
    *limits: Any,
    device: torch.device | str | None,
) -> tuple[float, StopReason]:
    """Bound the problem in which lifted edges are edges like others.

    It allows all partitions, also into clusters that only lifted edges connect, and each costs the
    same in both. So its optimum is no more than that of the lifted problem. Where attractive lifted
    edges would need such a cluster, the bound rises; not on a device.
    """
    start = time.perf_counter()
    union = Union.of(problem)
    spent = time.perf_counter() - start

    def report(bound: float, elapsed: float) -> Any:
        assert callback is not None
        return callback(union.bound_of_lifted(bound), elapsed + spent)

    left = Stop(None if math.isinf(stop.seconds) else max(stop.seconds - spent, 0.0))
    hears = None if callback is None else report
    bound, stopped_by = bound_from_below(
        union.problem, left, hears, *limits, device=device, num_ordinary=union.num_ordinary
    )
    return union.bound_of_lifted(bound), stopped_by
