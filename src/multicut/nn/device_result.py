"""What a solver found for graphs that are on a device, and stays there."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from multicut.stop import StopReason


@dataclass(frozen=True, eq=False)
class DeviceResult:
    """A partition of the graphs of a batch, on their device.

    Attributes
    ----------
    labels
        Shape (num_nodes,), int64: 0 … k-1 over all graphs together; no two graphs share a label.
    cut
        Shape (num_edges,), bool: the edges between different clusters, in the order of the batch.
    objectives
        Shape (num_graphs,), float64: what the cut edges of each graph cost.
    solver
        The name of the solver.
    seed
        Its seed.
    runtime
        Seconds until all of this was there.
    stopped_by
        Why it ended.
    """

    labels: Tensor
    cut: Tensor
    objectives: Tensor
    solver: str
    seed: int
    runtime: float
    stopped_by: StopReason

    @property
    def objective(self) -> float:
        """What the cut edges of all graphs cost; asking for it waits for the device."""
        return float(self.objectives.sum())

    @property
    def num_clusters(self) -> int:
        """The number of clusters of all graphs; asking for it waits for the device."""
        return int(self.labels.max()) + 1 if len(self.labels) else 0

    def __repr__(self) -> str:
        return (
            f"DeviceResult({self.solver}: {len(self.objectives)} graphs on {self.labels.device}, "
            f"{len(self.labels)} nodes, {self.runtime:.3g} s)"
        )
