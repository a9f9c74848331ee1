"""The registry of architectures: the networks of the paper, by name."""

from __future__ import annotations

from dataclasses import dataclass

from multicut._registry import Registry
from multicut.nn import convolutions
from multicut.nn.convolutions import Convolution


@dataclass(frozen=True)
class Architecture:
    """One registered architecture.

    Attributes
    ----------
    name
        What :class:`multicut.nn.NetworkConfig` knows it by.
    description
        One line.
    convolution
        What its layers are; None for a classifier of edges that sees no further than their ends.
    hidden_layers
        Hidden layers of the edge classifier.
    """

    name: str
    description: str
    convolution: type[Convolution] | None
    hidden_layers: int = 2

    @property
    def has_fused_path(self) -> bool:
        """Whether messages are summed by sparse products, without storing them."""
        return self.convolution is not None and self.convolution.has_fused_path

    @property
    def takes_padding(self) -> bool:
        """Whether a batch may be filled up to a fixed size, so that a step can be recorded."""
        return self.convolution is None or self.convolution.takes_padding


_ARCHITECTURES: Registry[Architecture] = Registry(
    "architecture",
    (
        Architecture(
            "gcn_w",
            "graph convolution with costs and signed normalisation: the paper's best",
            convolutions.GCNWConvolution,
        ),
        Architecture(
            "sgcn_w",
            "signed graph convolution with costs, Signed_W of the paper",
            convolutions.SGCNWConvolution,
        ),
        Architecture(
            "gin0_w",
            "graph isomorphism network with costs",
            convolutions.GIN0WConvolution,
        ),
        Architecture(
            "rggcn_he",
            "residual gated graph convolution with hidden states of edges",
            convolutions.RGGCNHEConvolution,
        ),
        Architecture(
            "gt",
            "graph transformer with costs as edge features",
            convolutions.GTConvolution,
        ),
        Architecture(
            "mpnn",
            "plain message passing with learned messages",
            convolutions.MPNNConvolution,
        ),
        Architecture(
            "gcn",
            "vanilla graph convolution, without costs",
            convolutions.GCNConvolution,
        ),
        Architecture(
            "sgcn",
            "vanilla signed graph convolution: signs, but no costs",
            convolutions.SGCNConvolution,
        ),
        Architecture(
            "gin0",
            "vanilla graph isomorphism network, without costs",
            convolutions.GIN0Convolution,
        ),
        Architecture(
            "gcn_minus_laplacian",
            "ablation: gcn without its normalisation",
            convolutions.GCNMinusLaplacianConvolution,
        ),
        Architecture(
            "gcn_plus_edge_weights",
            "ablation: the same, with costs",
            convolutions.GCNPlusEdgeWeightsConvolution,
        ),
        Architecture(
            "gcn_w_minus_edge_weights",
            "ablation: gcn_w whose costs only normalise",
            convolutions.GCNWMinusEdgeWeightsConvolution,
        ),
        Architecture(
            "lr",
            "baseline: logistic regression on the features and the cost of an edge",
            None,
            hidden_layers=0,
        ),
        Architecture(
            "mlp",
            "baseline: the edge classifier on the features and the cost of an edge",
            None,
        ),
    ),
)


def list_architectures(pattern: str = "*") -> list[Architecture]:
    """Return the records of all architectures whose name matches a pattern such as ``"gcn*"``."""
    return _ARCHITECTURES.matching(pattern)


def get_architecture(name: str) -> Architecture:
    """Return the record of one architecture."""
    return _ARCHITECTURES.get(name)
