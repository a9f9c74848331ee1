"""One problem of a dataset, with what is known of its solution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._words import count
from multicut.partition import labels_of_cut
from multicut.problem import Problem

if TYPE_CHECKING:
    from multicut._arrays import BoolArray, FloatArray, IntArray


class LabelledProblem(Problem):
    """A problem that knows its name and its best known solution.

    It goes wherever a :class:`multicut.Problem` does.

    Attributes
    ----------
    name
        What it is called in its dataset.
    cut
        Whether the solution cuts each edge; None if no solution is known.
    objective
        What the solution costs; None if that is not known.
    lower_bound
        No solution costs less; None if nothing is known.
    positions
        Where the nodes lie in the plane, or None.
    """

    __slots__ = ("cut", "lower_bound", "name", "objective", "positions")

    def __init__(
        self,
        edges: IntArray,
        costs: FloatArray,
        num_nodes: int,
        *,
        name: str = "",
        cut: BoolArray | None = None,
        objective: float | None = None,
        lower_bound: float | None = None,
        positions: FloatArray | None = None,
        lifted_edges: IntArray | None = None,
        lifted_costs: FloatArray | None = None,
    ) -> None:
        super().__init__(
            edges, costs, num_nodes, lifted_edges=lifted_edges, lifted_costs=lifted_costs
        )
        num_lifted = 0 if lifted_edges is None else len(lifted_edges)
        if self.num_edges != len(edges) or self.num_lifted_edges != num_lifted:
            raise ValueError(
                f"graph {name!r} has self-loops or duplicate edges; a dataset stores simple graphs"
            )
        self.name = name
        self.cut = cut
        self.objective = objective
        self.lower_bound = lower_bound
        self.positions = positions

    @property
    def labels(self) -> IntArray | None:
        """The part each node is in, in the best known solution; None if none is known."""
        return None if self.cut is None else labels_of_cut(self, self.cut)

    @property
    def optimal(self) -> bool:
        """Whether the solution is proven to be optimal."""
        if self.objective is None or self.lower_bound is None:
            return False
        return self.lower_bound >= self.objective

    @property
    def gap(self) -> float | None:
        """How far the solution can be from optimal, relative to it; None without a bound."""
        if self.objective is None or self.lower_bound is None:
            return None
        distance = max(self.objective - self.lower_bound, 0.0)
        return distance / abs(self.objective) if distance > 0 and self.objective else distance

    def __repr__(self) -> str:
        known = "no solution known"
        if self.objective is not None:
            proof = "optimal" if self.optimal else "not proven optimal"
            known = f"objective {self.objective:.6g}, {proof}"
        lifted = f", {count(self.num_lifted_edges, 'lifted edge')}" if self.is_lifted else ""
        return (
            f"LabelledProblem({self.name}: {count(self.num_nodes, 'node')}, "
            f"{count(self.num_edges, 'edge')}{lifted}; {known})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        known: dict[str, Any] = {
            "name": self.name,
            "cut": self.cut,
            "objective": self.objective,
            "lower_bound": self.lower_bound,
            "positions": self.positions,
        }
        if self.is_lifted:
            known |= {"lifted_edges": self.lifted_edges, "lifted_costs": self.lifted_costs}
        return _rebuild, (self.edges, self.costs, self.num_nodes, known)


def _rebuild(
    edges: IntArray, costs: FloatArray, num_nodes: int, known: dict[str, Any]
) -> LabelledProblem:
    return LabelledProblem(edges, costs, num_nodes, **known)


def as_known(value: float) -> float | None:
    """Turn the marks for unknown values, nan and -inf, into None."""
    return None if np.isnan(value) or value == -np.inf else float(value)
