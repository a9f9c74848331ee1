"""The result of a solver: a partition, its objective, and how it was found."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from multicut._notebook import html_table, trace_picture
from multicut._target import ending_of, open_target
from multicut._words import block, count
from multicut.interchange import need
from multicut.stop import relative_gap

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from multicut._arrays import BoolArray, FloatArray, IntArray

# Clocks are not more precise for short stages.
_DIGITS_OF_SECONDS = 2
# Labels of details whose key is not clear by itself.
_NAMES = {"chosen": "auto"}


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """The result of :func:`multicut.solve`.

    Attributes
    ----------
    labels
        The cluster of each node: 0 … k-1, in order of first appearance. Nodes are in the order of
        ``problem.node_ids``.
    cut
        Whether each edge of ``problem.edges`` is cut.
    lifted_cut
        Whether the ends of each edge of ``problem.lifted_edges`` are in different clusters; empty
        if there are none.
    objective
        Sum of the costs of the cut edges, lifted ones included; ``inf`` if a heuristic has found
        no partition that meets all lifted must-links and cannot-links.
    lower_bound
        A lower bound on the optimal objective; None if no bound was computed.
    num_clusters
        The number of clusters, k.
    runtime
        Seconds from the call of :func:`multicut.solve` to its return.
    trace
        One row (seconds, objective) for each improvement.
    solver
        The solver that did the work; with ``auto``, the one that was chosen.
    seed
        The seed it ran with.
    stopped_by
        ``"converged"``, ``"time_limit"``, ``"callback"`` or ``"interrupt"`` (Ctrl-C).
    node_ids
        The caller's id of each node.
    details
        Further information that depends on the solver.
    """

    labels: IntArray
    cut: BoolArray
    objective: float
    num_clusters: int
    runtime: float
    trace: FloatArray
    solver: str
    seed: int
    stopped_by: str
    node_ids: NDArray[Any]
    lower_bound: float | None = None
    details: Mapping[str, Any] = field(default_factory=dict)
    lifted_cut: BoolArray = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))

    @property
    def gap(self) -> float | None:
        """Upper bound on the relative distance to the optimal objective; None without a bound."""
        return relative_gap(self.objective, self.lower_bound)

    @property
    def optimal(self) -> bool:
        """Whether the partition is proven to be optimal, to within 1e-9 of its objective.

        Bounds account for rounding, also where large and small costs are mixed. With integer costs
        the proof is exact unless the objective is 1e9 or more. If the objective is zero or nearly
        zero, the tolerance is 1e-14 of the sum of all |costs|, provided that these differ by a
        factor of at most 1e4.
        """
        return self.lower_bound is not None and self.lower_bound >= self.objective

    def clusters(self) -> list[NDArray[Any]]:
        """Return the node ids of each cluster, in the order of the labels."""
        order = np.argsort(self.labels, kind="stable")
        sizes = np.bincount(self.labels, minlength=self.num_clusters)
        return np.split(self.node_ids[order], np.cumsum(sizes)[:-1]) if self.num_clusters else []

    def by_id(self) -> dict[Any, int]:
        """Map the caller's node ids to labels."""
        return dict(zip(self.node_ids.tolist(), self.labels.tolist(), strict=True))

    def to_pandas(self, name: str = "cluster") -> Any:
        """Return the labels as a ``pandas.Series`` called `name`, indexed by node id.

        So ``records.join(result.to_pandas())`` adds a column to a frame whose index holds the ids,
        and ``frame["id"].map(result.to_pandas())`` looks up a column of ids.
        """
        pandas = need("pandas", "to_pandas")
        index = pandas.Index(self.node_ids, name="node", tupleize_cols=False)
        return pandas.Series(np.array(self.labels), index=index, name=name)

    def __repr__(self) -> str:
        gap = "" if self.gap is None else f", {self._proof()}"
        return (
            f"Result({self.solver}: objective {self.objective:,.10g}{gap}, "
            f"{count(self.num_clusters, 'cluster')}, {self.runtime:.3f} s)"
        )

    def __str__(self) -> str:
        return block(self._essentials())

    def _repr_html_(self) -> str:
        """Return the table of ``str(result)`` and the trace, for notebooks."""
        rows = self._essentials()
        title = f"Result of {rows.pop('solver')}"
        return html_table(title, rows, trace_picture(self.trace, self.lower_bound))

    def summary(self) -> str:
        """Return a description of a few lines: those of ``str(result)``, then the details."""
        return block(self.rows())

    def rows(self) -> dict[str, str]:
        """Return the lines of :meth:`summary` as a mapping of names to values."""
        details = {
            _NAMES.get(key, key.replace("_", " ")): _in_words(key, value)
            for key, value in self.details.items()
        }
        return self._essentials() | details

    def _essentials(self) -> dict[str, str]:
        bound = "not computed"
        if self.lower_bound is not None:
            bound = f"{self.lower_bound:,.10g} ({self._proof()})"
        ended = f"stopped by {self.stopped_by.replace('_', ' ')}"
        if self.stopped_by == "converged":
            ended = self.stopped_by
        chosen = ", chosen by auto" if "chosen" in self.details else ""
        rows = {
            "solver": f"{self.solver}{chosen} (seed {self.seed})",
            "objective": f"{self.objective:,.10g}{_violation(self.objective)}",
            "lower bound": bound,
            "clusters": f"{self.num_clusters:,} of {count(len(self.labels), 'node')}",
            "cut edges": f"{int(self.cut.sum()):,} of {len(self.cut):,}",
        }
        if len(self.lifted_cut) > 0:
            cut, total = int(self.lifted_cut.sum()), len(self.lifted_cut)
            rows["cut lifted edges"] = f"{cut:,} of {total:,}"
        return rows | {"runtime": f"{self.runtime:.3f} s, {ended}"}

    def _proof(self) -> str:
        return "proven optimal" if self.optimal else f"gap {self.gap:.4%}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the labels and the cuts, as plain Python values."""
        return {
            "solver": self.solver,
            "seed": self.seed,
            "objective": self.objective,
            "lower_bound": self.lower_bound,
            "gap": self.gap,
            "optimal": self.optimal,
            "num_nodes": len(self.labels),
            "num_edges": len(self.cut),
            "num_clusters": self.num_clusters,
            "num_cut_edges": int(self.cut.sum()),
            "num_lifted_edges": len(self.lifted_cut),
            "num_cut_lifted_edges": int(self.lifted_cut.sum()),
            "runtime": self.runtime,
            "stopped_by": self.stopped_by,
            "details": dict(self.details),
            "trace": self.trace.tolist(),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Return JSON with the fields of :meth:`to_dict`, node ids, labels and cut edges.

        Numbers that are not finite are null, such as the objective if a constraint is violated.
        """
        ids = [i if isinstance(i, int | str) else repr(i) for i in self.node_ids.tolist()]
        document = self.to_dict() | {
            "node_ids": ids,
            "labels": self.labels.tolist(),
            "cut_edges": np.flatnonzero(self.cut).tolist(),
            "cut_lifted_edges": np.flatnonzero(self.lifted_cut).tolist(),
        }
        return json.dumps(_finite(document), indent=indent, allow_nan=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``.npy`` (labels), ``.csv`` (columns node, label) or ``.json`` (everything).

        An existing file is replaced only when the new one is complete.
        """
        path = Path(path)
        suffix = ending_of(path)
        if suffix not in (".npy", ".csv", ".json"):
            raise ValueError(
                f"cannot save a result as {path.name!r}; use the suffix .npy, .csv or .json"
            )
        with open_target(path) as file:
            if suffix == ".npy":
                np.save(file, self.labels)
            elif suffix == ".json":
                file.write(self.to_json().encode() + b"\n")
            else:
                self._write_table(file)

    def _write_table(self, file: IO[bytes]) -> None:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="")
        writer = csv.writer(text)
        writer.writerow(["node", "label"])
        writer.writerows(zip(self.node_ids.tolist(), self.labels.tolist(), strict=True))
        text.detach()  # flushes, and leaves the file open


def _violation(objective: float) -> str:
    return ": a must-link or cannot-link is violated" if objective == math.inf else ""


def _finite(value: Any) -> Any:
    """Replace infinite numbers, which JSON cannot hold, by None."""
    if isinstance(value, Mapping):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, list) and not all(isinstance(entry, int | str) for entry in value):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _in_words(name: str, value: Any) -> str:
    """Format a detail for people: without braces, and with significant digits only."""
    if isinstance(value, Mapping):
        return ", ".join(
            f"{key.replace('_', ' ')} {_in_words(name, entry)}" for key, entry in value.items()
        )
    if isinstance(value, float):
        return f"{value:.{_DIGITS_OF_SECONDS if name.endswith('seconds') else 6}g}"
    return str(value)
