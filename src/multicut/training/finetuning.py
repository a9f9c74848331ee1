"""Which weights are trained when a trained model is taken further."""

from __future__ import annotations

from torch import nn

from multicut.nn.model import Network


def trained_part(network: Network, kept: str) -> nn.Module:
    """Return the part of a network that is trained when `kept` keeps its weights.

    ``"nothing"`` trains all parameters, ``"convolutions"`` only the edge classifier, and
    ``"all-but-last-layer"`` only the last layer of the edge classifier: the three settings of the
    paper's appendix.
    """
    if kept == "nothing":
        return network
    layers = network.classifier_layers
    return layers if kept == "convolutions" else layers[-1]


def freeze(network: Network, kept: str) -> None:
    """Let only the parameters of the trained part change."""
    network.requires_grad_(False)
    trained_part(network, kept).requires_grad_(True)


def keep_frozen_still(network: Network, kept: str) -> None:
    """Put all but the trained part into evaluation mode.

    Else batch normalisation would go on to change its statistics, though not its weights.
    """
    network.eval()
    trained_part(network, kept).train()
