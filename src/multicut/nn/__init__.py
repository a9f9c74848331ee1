"""Networks that solve multicut problems, and what trains and rounds them."""

from multicut.nn.architectures import Architecture, get_architecture, list_architectures
from multicut.nn.batch import GraphBatch
from multicut.nn.config import NetworkConfig
from multicut.nn.layer import MulticutLayer
from multicut.nn.model import Model
from multicut.nn.network import MulticutNetwork
from multicut.nn.rounding import Rounding, connected_components, round_scores

__all__ = [
    "Architecture",
    "GraphBatch",
    "Model",
    "MulticutLayer",
    "MulticutNetwork",
    "NetworkConfig",
    "Rounding",
    "connected_components",
    "get_architecture",
    "list_architectures",
    "round_scores",
]
