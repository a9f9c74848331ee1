"""The benchmark itself: every contest on every set of instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from multicut.benchmark.contests import CONTESTS, Contest, peer_is_installed
from multicut.benchmark.instances import TINY
from multicut.benchmark.measure import Measurement, measure, measure_once
from multicut.benchmark.memory import peak_memory
from multicut.benchmark.ratios import num_worse, objective_ratios
from multicut.solvers import list_solvers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from multicut.benchmark.instances import EdgeArrays, InstanceSet

# Below this, what a solver needs drowns in what Python needs.
_MIN_EDGES_FOR_MEMORY = 30_000
_MAX_REPEATS = 7
# What bad data and the lack of memory raise; a run of an hour goes on without that row.
_FAILURES = (ValueError, OSError, RuntimeError, MemoryError)


@dataclass(frozen=True)
class Side:
    """What one package needed for one set of graphs, and what it found there.

    Seconds and objectives are sums over the graphs. `mean_ratio` is the mean over the graphs of
    objective / best objective of both sides, and 1 is best.
    """

    build_seconds: float
    solve_seconds: float
    objective: float
    num_clusters: int
    mean_ratio: float
    peak_bytes: int | None

    @property
    def total_seconds(self) -> float:
        """From edge arrays to labels."""
        return self.build_seconds + self.solve_seconds


@dataclass(frozen=True)
class Row:
    """One contest on one set of instances; `peer` is None where the peer did not run."""

    instances: str
    num_graphs: int
    num_nodes: int
    num_edges: int
    solver: str
    ours: Side
    peer: Side | None
    num_better: int | None
    num_worse: int | None

    @property
    def speedup(self) -> float | None:
        """The peer's total time divided by ours."""
        return None if self.peer is None else self.peer.total_seconds / self.ours.total_seconds

    @property
    def ratio(self) -> float | None:
        """Our objective divided by the peer's: above 1 is better, as objectives are negative."""
        if self.peer is None or self.peer.objective == 0:
            return None
        return self.ours.objective / self.peer.objective


def plan_runs(
    sets: Sequence[InstanceSet], solvers: Sequence[str] | None = None
) -> list[tuple[InstanceSet, list[Contest]]]:
    """Pair each set with the contests it is for, among the registered solvers."""
    registered = {record.name for record in list_solvers()}
    wanted = [
        contest
        for name, contest in CONTESTS.items()
        if name in registered and (solvers is None or name in solvers)
    ]
    plan = [(s, [c for c in wanted if not s.contests or c.name in s.contests]) for s in sets]
    return [(instance_set, contests) for instance_set, contests in plan if contests]


def run_benchmark(
    plan: Sequence[tuple[InstanceSet, list[Contest]]],
    *,
    with_peer: bool = True,
    budget: float = 12.0,
    with_memory: bool = True,
    report: Callable[[str], Any] = lambda _: None,
    warn: Callable[[str], Any] = lambda _: None,
) -> Iterator[Row]:
    """Yield the rows of the table as they are measured.

    Parameters
    ----------
    plan
        What :func:`plan_runs` returned.
    with_peer
        Whether the peer runs as well; it has to be installed.
    budget
        Seconds for the repetitions of one contest on one set; each graph runs at least once.
    with_memory
        Whether to measure the peak memory on the larger graphs.
    report
        Called before each contest with what is about to happen.
    warn
        Called with what could not be measured, and why; the others are measured nevertheless.
    """
    with_peer = with_peer and peer_is_installed()
    for instance_set, contests in plan:
        report(f"making {instance_set.name}")
        try:
            graphs = instance_set.load()
        except _FAILURES as error:
            warn(f"{instance_set.name} is left out: {_describe(error)}")
            continue
        if not graphs:
            warn(f"{instance_set.name} is left out: it contains no graphs")
            continue
        largest = max(len(graph.edges) for graph in graphs)
        for contest in contests:
            if largest > contest.max_edges:
                continue
            report(f"{contest.name} on {instance_set.name}")
            against = with_peer and largest <= contest.peer_max_edges
            memory = with_memory and len(graphs) == 1 and largest >= _MIN_EDGES_FOR_MEMORY
            try:
                row = _run(instance_set.name, graphs, contest, against, budget, memory)
            except _FAILURES as error:
                warn(f"{contest.name} on {instance_set.name} is left out: {_describe(error)}")
                continue
            yield row


def _describe(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__


def _run(
    name: str,
    graphs: list[EdgeArrays],
    contest: Contest,
    against: bool,
    budget: float,
    memory: bool,
) -> Row:
    contenders = [contest.ours()] + ([contest.peer()] if against else [])
    for contender in contenders:
        measure_once(contender, TINY)  # loads all libraries
    share = budget / len(graphs)
    runs = [measure(contenders, graph, share, _MAX_REPEATS) for graph in graphs]
    objectives = [[run.objective for run in side] for side in zip(*runs, strict=True)]
    best = [min(on_graph) for on_graph in zip(*objectives, strict=True)]
    names = ["ours", "peer"][: len(contenders)]
    peaks = [peak_memory(contest.name, side, graphs[0]) if memory else None for side in names]
    sides = [
        _add_up([on_graph[i] for on_graph in runs], best, peaks[i]) for i in range(len(contenders))
    ]
    return Row(
        instances=name,
        num_graphs=len(graphs),
        num_nodes=sum(graph.num_nodes for graph in graphs),
        num_edges=sum(len(graph.edges) for graph in graphs),
        solver=contest.name,
        ours=sides[0],
        peer=sides[1] if against else None,
        num_better=num_worse(objectives[1], objectives[0]) if against else None,
        num_worse=num_worse(objectives[0], objectives[1]) if against else None,
    )


def _add_up(runs: list[Measurement], best: list[float], peak_bytes: int | None) -> Side:
    ratios = objective_ratios([run.objective for run in runs], best)
    return Side(
        build_seconds=sum(run.build_seconds for run in runs),
        solve_seconds=sum(run.solve_seconds for run in runs),
        objective=sum(run.objective for run in runs),
        num_clusters=sum(run.num_clusters for run in runs),
        mean_ratio=float(ratios.mean()),
        peak_bytes=peak_bytes,
    )
