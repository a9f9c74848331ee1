"""What a run of the frontier is to measure."""

from __future__ import annotations

from dataclasses import dataclass

from multicut.benchmark.settings import PartwiseSettings


@dataclass(frozen=True)
class FrontierSettings(PartwiseSettings):
    """How much is measured, on what, and where it goes.

    Attributes
    ----------
    output
        The folder for ``frontier.md`` and ``frontier.json``; figures go to ``images`` inside it.
    cache
        The folder for the measurements, a JSON file for each family.
    data
        The folder with ``modularity.npz``, ``em``, ``signed`` and ``bsds``; None leaves them out.
    num_graphs
        How many graphs of each family are measured ...
    num_limited
        ... and on how many of these the solvers compete under time limits.
    large
        Nodes of the one large random graph.
    time_limit
        Seconds for one of our solvers on one graph, at the most.
    limits
        The time limits under which ``auto`` is compared with the others.
    num_threads
        For the solvers that use several; the peer uses one.
    with_peer
        Whether the peer runs as well, where it is installed.
    device
        Where networks run a second time, in batches, if it is not the CPU.
    report
        Called with what is about to happen.
    """

    num_graphs: int = 50
    num_limited: int = 2
    large: int = 100_000
    time_limit: float = 5.0
    limits: tuple[float, ...] = (0.05, 0.5, 5.0)
    num_threads: int = 1
    with_peer: bool = True

    page = "frontier"
