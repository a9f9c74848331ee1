"""What corrections have changed, so that they can be undone and made again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from multicut.proofreading.contradictions import chain_against, contradiction

if TYPE_CHECKING:
    from multicut import _core
    from multicut._arrays import IntArray
    from multicut.proofreading.corrections import Correction
    from multicut.proofreading.node_names import NodeNames
    from multicut.proofreading.suggestions import Question


def _nothing() -> IntArray:
    return np.zeros(0, dtype=np.int64)


@dataclass
class Step:
    """A correction, and what it has changed."""

    correction: Correction
    # Costs of edges before and after; None before: the edge was added.
    costs: list[tuple[int, float | None, float]] = field(default_factory=list)
    nodes: IntArray = field(default_factory=_nothing)
    before: IntArray = field(default_factory=_nothing)
    after: IntArray = field(default_factory=_nothing)
    bounds: tuple[float | None, float | None] = (None, None)
    # The suggestion that it answers, and the edges that this was about.
    question: Question | None = None
    asked_edges: IntArray = field(default_factory=_nothing)


def changes_of(
    correction: Correction, names: NodeNames, live: _core.LivePartition
) -> list[tuple[int, int, float]]:
    """Return pairs of positions with their costs; all checked."""
    kind = correction.kind
    if kind == "learn":
        return []
    costs = correction.costs
    if kind in ("join", "separate"):
        costs = (math.inf if kind == "join" else -math.inf,)
    changes = []
    for (u, v), cost in zip(correction.pairs, costs, strict=True):
        if math.isnan(cost):
            raise ValueError(f"cost must be a number, got nan for the edge {u!r} - {v!r}")
        first, second = names.pair(u, v)
        if kind == "set_cost" and live.find_edge(first, second) is None:
            raise ValueError(f"there is no edge between {u!r} and {v!r}; add it with add_edges")
        changes.append((first, second, cost))
    return changes


def change_cost(
    live: _core.LivePartition,
    step: Step,
    change: tuple[int, int, float],
    earlier: Sequence[Step],
    names: NodeNames,
) -> None:
    """Change the cost of an edge, which may be new, unless that contradicts earlier steps."""
    u, v, cost = change
    edge = live.find_edge(u, v)
    before = None if edge is None else live.cost(edge)
    if math.isinf(cost):
        # What replaces the cost of an edge does not contradict it.
        if edge is not None and step.correction.kind == "set_cost":
            live.set_cost(edge, 0.0)
            step.costs.append((edge, before, 0.0))
        chain = chain_against(live, u, v, cost)
        if chain:
            raise contradiction(
                str(step.correction),
                chain,
                live,
                lambda edge: _correction_of(edge, earlier),
                names.name,
            )
    if edge is None:
        edge = live.add_edge(u, v, cost)
    else:
        before = live.cost(edge)
        if step.correction.kind == "add_edges":
            cost += before
        live.set_cost(edge, cost)
    step.costs.append((edge, before, cost))


def take_back(live: _core.LivePartition, step: Step) -> None:
    """Make costs and partition what they were before a step."""
    live.relabel(step.nodes, step.before)
    for edge, before, _ in reversed(step.costs):
        if before is None:
            live.remove_last_edge()
        else:
            live.set_cost(edge, before)
    live.take_changes()


def make_again(live: _core.LivePartition, step: Step, names: NodeNames) -> None:
    """Make costs and partition what they were after a step."""
    for position, (edge, before, after) in enumerate(step.costs):
        if before is None:
            live.add_edge(*names.pair(*step.correction.pairs[position]), after)
        else:
            live.set_cost(edge, after)
    live.relabel(step.nodes, step.after)
    live.take_changes()


def _correction_of(edge: int, steps: Sequence[Step]) -> tuple[int, Correction] | None:
    """Return the last correction that has changed the cost of an edge, and its number."""
    for number, step in reversed(list(enumerate(steps, 1))):
        if any(edge == changed for changed, _, _ in step.costs):
            return number, step.correction
    return None
