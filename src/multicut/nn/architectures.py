"""The registry of architectures: what is known of each without building a network.

Nothing here needs torch until a convolution is asked for, so that cards of models can be listed
without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut._registry import Registry

if TYPE_CHECKING:
    from multicut.nn.convolutions import Convolution


@dataclass(frozen=True)
class Architecture:
    """One registered architecture.

    :func:`multicut.nn.build_network` builds its networks.

    Attributes
    ----------
    name
        What cards and configurations call it.
    description
        One line.
    solver
        Which solver uses its networks, and so how they partition a graph: ``"gnn"`` rounds what
        they predict once, ``"learned"`` contracts edges in rounds and asks them again.
    losses
        What its networks can be trained with.
    hidden_layers
        Hidden layers of the edge classifier.
    is_scale_free
        Whether predictions of its networks depend only on ratios of costs.
    has_cycle_measure
        Whether cycle consistency says how good its networks are. Cycles of graphs that are
        contracted further are others than those of the input.
    """

    name: str
    description: str
    solver: str = "gnn"
    losses: tuple[str, ...] = ("bce", "decisions", "polynomial")
    hidden_layers: int = 2
    is_scale_free: bool = False
    has_cycle_measure: bool = True

    @property
    def convolution(self) -> type[Convolution] | None:
        """What its layers are; None where they are no convolutions, or there are none."""
        from multicut.nn.convolutions import CONVOLUTIONS

        return CONVOLUTIONS.get(self.name)

    @property
    def has_fused_path(self) -> bool:
        """Whether messages are summed by sparse products, without storing them."""
        return self.convolution is not None and self.convolution.has_fused_path


_ARCHITECTURES: Registry[Architecture] = Registry(
    "architecture",
    (
        Architecture(
            "gcn_w", "graph convolution with costs and signed normalisation: the paper's best"
        ),
        Architecture("sgcn_w", "signed graph convolution with costs, Signed_W of the paper"),
        Architecture("gin0_w", "graph isomorphism network with costs"),
        Architecture("rggcn_he", "residual gated graph convolution with hidden states of edges"),
        Architecture("gt", "graph transformer with costs as edge features"),
        Architecture("mpnn", "plain message passing with learned messages"),
        Architecture("gcn", "vanilla graph convolution, without costs"),
        Architecture("sgcn", "vanilla signed graph convolution: signs, but no costs"),
        Architecture("gin0", "vanilla graph isomorphism network, without costs"),
        Architecture("gcn_minus_laplacian", "ablation: gcn without its normalisation"),
        Architecture("gcn_plus_edge_weights", "ablation: the same, with costs"),
        Architecture("gcn_w_minus_edge_weights", "ablation: gcn_w whose costs only normalise"),
        Architecture(
            "lr",
            "baseline: logistic regression on the features and the cost of an edge",
            hidden_layers=0,
        ),
        Architecture(
            "mlp", "baseline: the edge classifier on the features and the cost of an edge"
        ),
        Architecture(
            "contraction",
            "gated states of nodes and edges, at any stage of contraction",
            solver="learned",
            losses=("decisions",),
            is_scale_free=True,
            has_cycle_measure=False,
        ),
    ),
)


def list_architectures(pattern: str = "*", *, solver: str | None = None) -> list[Architecture]:
    """Return the records of all architectures whose name matches a pattern such as ``"gcn*"``.

    Parameters
    ----------
    pattern
        With ``*`` and ``?`` as in names of files.
    solver
        Only those that this solver uses, ``"gnn"`` or ``"learned"``; by default all.
    """
    found = _ARCHITECTURES.matching(pattern)
    return [record for record in found if solver in (None, record.solver)]


def get_architecture(name: str) -> Architecture:
    """Return the record of one architecture."""
    return _ARCHITECTURES.get(name)
