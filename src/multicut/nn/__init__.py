"""Networks that solve multicut problems, and what trains and rounds them.

What needs torch is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from multicut._extras import needed

if TYPE_CHECKING:
    from multicut.nn.adaptation import adapt
    from multicut.nn.architectures import Architecture, get_architecture, list_architectures
    from multicut.nn.batch import GraphBatch
    from multicut.nn.config import NetworkConfig
    from multicut.nn.contraction_network import ContractionConfig, ContractionNetwork
    from multicut.nn.device_result import DeviceResult
    from multicut.nn.layer import MulticutLayer
    from multicut.nn.model import Model, build_network
    from multicut.nn.network import MulticutNetwork
    from multicut.nn.rounding import Rounding, connected_components, round_scores
    from multicut.nn.search.contraction import Contraction, contract
    from multicut.nn.search.partitioning import partition

__all__ = [
    "Architecture",
    "Contraction",
    "ContractionConfig",
    "ContractionNetwork",
    "DeviceResult",
    "GraphBatch",
    "Model",
    "MulticutLayer",
    "MulticutNetwork",
    "NetworkConfig",
    "Rounding",
    "adapt",
    "build_network",
    "connected_components",
    "contract",
    "get_architecture",
    "list_architectures",
    "partition",
    "round_scores",
]

_HOMES = {
    "Architecture": "architectures",
    "Contraction": "search.contraction",
    "ContractionConfig": "contraction_network",
    "ContractionNetwork": "contraction_network",
    "GraphBatch": "batch",
    "DeviceResult": "device_result",
    "Model": "model",
    "MulticutLayer": "layer",
    "MulticutNetwork": "network",
    "NetworkConfig": "config",
    "Rounding": "rounding",
    "adapt": "adaptation",
    "build_network": "model",
    "connected_components": "rounding",
    "contract": "search.contraction",
    "get_architecture": "architectures",
    "list_architectures": "architectures",
    "partition": "search.partitioning",
    "round_scores": "rounding",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        if _HOMES[name] not in ("architectures", "config"):
            needed("torch", "torch_geometric", by=f"multicut.nn.{name}")
        return getattr(import_module(f"multicut.nn.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'multicut.nn' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
