"""Trained networks by name: weights in safetensors, everything else in a JSON card."""

from multicut.models.files import load_model, save_model
from multicut.models.registry import DEFAULT_MODEL, UNIVERSAL_MODEL, ModelRecord, list_models

__all__ = [
    "DEFAULT_MODEL",
    "UNIVERSAL_MODEL",
    "ModelRecord",
    "list_models",
    "load_model",
    "save_model",
]


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
