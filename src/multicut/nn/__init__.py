"""Networks that solve multicut problems, and what trains and rounds them."""

from multicut.nn.architectures import Architecture, get_architecture, list_architectures
from multicut.nn.batch import GraphBatch
from multicut.nn.config import NetworkConfig
from multicut.nn.network import MulticutNetwork

__all__ = [
    "Architecture",
    "GraphBatch",
    "MulticutNetwork",
    "NetworkConfig",
    "get_architecture",
    "list_architectures",
]
