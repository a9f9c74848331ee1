"""Who takes part: our solvers in several settings, and those of the peer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from multicut.benchmark.contests import CONTESTS, PEER, peer_is_installed
from multicut.models.registry import DEFAULT_MODEL, UNIVERSAL_MODEL, list_models
from multicut.solvers import get_solver
from multicut.solvers.learned.solver import EFFORTS

if TYPE_CHECKING:
    from multicut.benchmark.frontier.settings import FrontierSettings

BASELINE = "gaec"
NO_LIMIT = "auto"
_ENDLESS = 2**31 - 1
# The peer's fusion moves would need minutes for one larger graph.
_MOST_EDGES_OF_PEER_FUSION = 50_000
# The default model of each solver that has one: other weights are another entrant.
_MODELS = {"gnn": DEFAULT_MODEL, "learned": UNIVERSAL_MODEL}


@dataclass(frozen=True)
class Entrant:
    """One solver in one setting.

    Attributes
    ----------
    name
        The row of the table.
    solver
        One of our solvers, or of the peer's contests if it is the `peer`.
    options, time_limit
        What :func:`multicut.solve` gets.
    in_batch
        Whether all graphs are solved in one call.
    max_edges
        Larger graphs are left out.
    """

    name: str
    solver: str
    options: Mapping[str, Any] = field(default_factory=dict)
    time_limit: float | None = None
    peer: bool = False
    in_batch: bool = False
    max_edges: float = float("inf")

    @property
    def group(self) -> str:
        """The solver, whatever its setting: what a figure gives one colour."""
        device = self.options.get("device", "cpu") if self.in_batch else "cpu"
        name = f"{PEER} {self.solver}" if self.peer else self.solver
        return name if device == "cpu" else f"{name} ({device})"

    @property
    def key(self) -> str:
        """What its measurements depend on, besides the graphs."""
        limit = "" if self.time_limit is None else f", at most {self.time_limit:g} s"
        threads = self.options.get("num_threads")
        threads = "" if threads is None else f", {threads} threads"
        return f"{self.name}{self._weights}{limit}{threads}"

    @property
    def _weights(self) -> str:
        model = None if self.peer else _MODELS.get(self.solver)
        cards = {record.name: record.card for record in list_models()}
        return f" {cards[model]['sha256'][:8]}" if model in cards else ""


def list_entrants(settings: FrontierSettings) -> list[Entrant]:
    """List everybody for the frontier, from quick to thorough."""
    threads = {"num_threads": settings.num_threads}

    def ours(name: str, solver: str, **options: Any) -> Entrant:
        return Entrant(name, solver, options, settings.time_limit)

    def learned(effort: str, **options: Any) -> Entrant:
        without = ", no network" if options.get("use_network") is False else ""
        options = {"use_network": True, "device": "cpu"} | options
        return ours(f"learned, {effort}{without}", "learned", effort=effort, **threads, **options)

    entrants = [
        ours(BASELINE, "gaec"),
        *(
            ours(f"dual-greedy, {policy}", "dual-greedy", policy=policy)
            for policy in ("fast", "balanced", "best")
        ),
        ours("greedy-fixation", "greedy-fixation"),
        ours("klj", "klj"),
        *(
            ours(f"fusion, {count} proposals", "fusion", max_proposals=count, **threads)
            for count in (5, 20, 100)
        ),
        *(
            ours(f"fusion, patience {count}", "fusion", patience=count, **threads)
            for count in (20, 100)
        ),
        ours("memetic", "memetic", **threads),
        ours("gnn", "gnn", device="cpu"),
        *(learned(effort) for effort in EFFORTS),
        *(learned(effort, use_network=False) for effort in EFFORTS),
        ours("lp", "lp"),
        ours("ilp", "ilp"),
        # The longest limit would take minutes where nothing is proven; few graphs get it, later.
        *(
            Entrant(f"auto, {limit:g} s", "auto", threads, limit)
            for limit in sorted(settings.limits)[:-1]
        ),
        Entrant(NO_LIMIT, "auto", threads),
    ]
    if settings.device != "cpu":
        entrants += _on_device(settings)
    if settings.with_peer and peer_is_installed():
        most = {"fusion": float(_MOST_EDGES_OF_PEER_FUSION)}
        entrants += [
            Entrant(
                f"{PEER} {name}",
                name,
                peer=True,
                max_edges=most.get(name, CONTESTS[name].peer_max_edges),
            )
            for name in ("gaec", "klj", "fusion")
        ]
    return [
        entrant for entrant in entrants if entrant.peer or get_solver(entrant.solver).is_ready()
    ]


def _on_device(settings: FrontierSettings) -> list[Entrant]:
    """List the networks once more, on the device, all graphs of a family at once."""
    device = settings.device

    def batched(name: str, solver: str, **options: Any) -> Entrant:
        given = {"device": device, **options}
        return Entrant(f"{name}, {device} batch", solver, given, settings.time_limit, in_batch=True)

    threads = {"num_threads": settings.num_threads}
    return [
        batched("gnn", "gnn"),
        *(
            batched(f"learned, {effort}", "learned", effort=effort, use_network=True, **threads)
            for effort in EFFORTS
        ),
    ]


def list_limited(settings: FrontierSettings, limit: float) -> list[Entrant]:
    """List who competes with ``auto`` under a time limit: settings that would use all of it."""
    threads = {"num_threads": settings.num_threads}
    endless = {"max_proposals": _ENDLESS, "patience": _ENDLESS, **threads}
    learned = {"effort": "best", "device": "cpu", **threads}
    settings_of_solvers: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("gaec", "gaec", {}),
        ("dual-greedy, best", "dual-greedy", {"policy": "best"}),
        ("klj", "klj", {}),
        ("fusion, endless", "fusion", endless),
        ("memetic, endless", "memetic", {"max_rounds": _ENDLESS, "patience": _ENDLESS, **threads}),
        ("learned, best", "learned", {"use_network": True, **learned}),
        ("ilp", "ilp", {}),
        ("auto", "auto", threads),
    )
    return [Entrant(name, solver, options, limit) for name, solver, options in settings_of_solvers]
