"""Networks that solve multicut problems, and what trains and rounds them."""

from multicut._extras import needed

needed("torch", "torch_geometric", by="multicut.nn")

from multicut.nn.architectures import Architecture, get_architecture, list_architectures
from multicut.nn.batch import GraphBatch
from multicut.nn.config import NetworkConfig
from multicut.nn.contraction_network import ContractionConfig, ContractionNetwork
from multicut.nn.layer import MulticutLayer
from multicut.nn.model import Model
from multicut.nn.network import MulticutNetwork
from multicut.nn.rounding import Rounding, connected_components, round_scores
from multicut.nn.search.contraction import Contraction, contract
from multicut.nn.search.partitioning import partition

__all__ = [
    "Architecture",
    "Contraction",
    "ContractionConfig",
    "ContractionNetwork",
    "GraphBatch",
    "Model",
    "MulticutLayer",
    "MulticutNetwork",
    "NetworkConfig",
    "Rounding",
    "connected_components",
    "contract",
    "get_architecture",
    "list_architectures",
    "partition",
    "round_scores",
]


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
