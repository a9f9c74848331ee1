"""Training of networks and policies; nothing heavy is imported before it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from multicut._extras import needed

if TYPE_CHECKING:
    from multicut.training.config import TrainingConfig
    from multicut.training.device_dataset import DeviceDataset
    from multicut.training.evaluation import Evaluation, evaluate
    from multicut.training.policy import PolicySettings, SearchedPolicy, search_policy
    from multicut.training.runner import TrainingResult, train
    from multicut.training.solver_layer import SolverLayer

needed("torch", "torch_geometric", by="multicut.training", extra="train")

__all__ = [
    "DeviceDataset",
    "Evaluation",
    "PolicySettings",
    "SearchedPolicy",
    "SolverLayer",
    "TrainingConfig",
    "TrainingResult",
    "evaluate",
    "search_policy",
    "train",
]

_HOMES = {
    "DeviceDataset": "device_dataset",
    "Evaluation": "evaluation",
    "PolicySettings": "policy",
    "SearchedPolicy": "policy",
    "SolverLayer": "solver_layer",
    "TrainingConfig": "config",
    "TrainingResult": "runner",
    "evaluate": "evaluation",
    "search_policy": "policy",
    "train": "runner",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(f"multicut.training.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'multicut.training' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
