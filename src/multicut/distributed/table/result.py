"""What a solve of a table has found."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from multicut._arrays import IntArray
from multicut._extras import needed
from multicut._words import block
from multicut.stop import relative_gap


@dataclass(frozen=True)
class DistributedResult:
    """The result of :func:`multicut.solve_distributed`.

    Attributes
    ----------
    output
        The Parquet file with columns `node` and `label`, nodes ascending; labels are 0 … k-1 in
        order of first appearance.
    objective
        Sum of the costs of the cut edges.
    lower_bound
        No partition costs less; None if no bound was asked for.
    num_nodes, num_edges, num_lifted_edges, num_cut, num_clusters
        Sizes; edges after contracting must-links, merging duplicates and dropping self-loops. Cut
        edges do not include lifted ones.
    levels
        For each level: its blocks, the edges of their problems, and seconds of all its tasks.
    runtime
        Seconds of this call; less than the whole took if it went on with an earlier one.
    solver, seed
        As for :func:`multicut.solve`.
    """

    output: Path
    objective: float
    lower_bound: float | None
    num_nodes: int
    num_edges: int
    num_lifted_edges: int
    num_cut: int
    num_clusters: int
    levels: tuple[dict[str, Any], ...]
    runtime: float
    solver: str
    seed: int

    @property
    def gap(self) -> float | None:
        """By how much the objective may exceed the optimum, relative to the bound."""
        if self.lower_bound is None:
            return None
        return relative_gap(self.objective, self.lower_bound)

    def read(self) -> tuple[IntArray, IntArray]:
        """Return the ids of all nodes and their labels, where these fit into memory."""
        needed("pyarrow", by="a Parquet table")
        import pyarrow.parquet as pq

        table = pq.read_table(self.output)
        return table["node"].to_numpy(), table["label"].to_numpy()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self) | {"output": str(self.output), "gap": self.gap}

    def rows(self) -> dict[str, str]:
        """Return names and values for people."""
        rows = {
            "objective": f"{self.objective:,.10g}",
            "clusters": f"{self.num_clusters:,}",
            "nodes": f"{self.num_nodes:,}",
            "edges": f"{self.num_edges:,}, {self.num_cut:,} cut",
        }
        if self.num_lifted_edges > 0:
            rows["lifted edges"] = f"{self.num_lifted_edges:,}"
        if self.lower_bound is not None:
            rows["bound"] = f"{self.lower_bound:,.10g}, gap {self.gap:.3%}"
        blocks = ", ".join(f"{level['num_blocks']:,}" for level in self.levels)
        rows["blocks"] = f"{blocks} by level"
        rows["solver"] = f"{self.solver}, seed {self.seed}"
        rows["runtime"] = f"{self.runtime:.1f} s"
        return rows

    def summary(self) -> str:
        """Return a few lines for people."""
        return block(self.rows())
