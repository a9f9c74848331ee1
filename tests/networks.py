"""Small networks for tests; random weights will do where only promises count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

import multicut as mc
from multicut.nn import ContractionConfig, ContractionNetwork, MulticutNetwork, NetworkConfig


def small_config(architecture: str = "gcn_w", **settings: Any) -> NetworkConfig:
    """A network of 16 channels and 3 layers; baselines have neither."""
    if architecture not in ("lr", "mlp"):
        settings = {"width": 16, "depth": 3, **settings}
    if architecture != "lr":
        settings = {"classifier_width": 24, **settings}
    return NetworkConfig(architecture, **settings)


def small_network(architecture: str = "gcn_w", seed: int = 0, **settings: Any) -> MulticutNetwork:
    """Random weights, and batch statistics that differ from those of a new network."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        network = MulticutNetwork(small_config(architecture, **settings))
        for name, buffer in network.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_()
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 2.0)
    return network.eval()


def save_small_model(folder: Path, name: str = "small", **settings: Any) -> Path:
    """Save a small network; costs are brought to its scale."""
    card = {"description": "for tests", "cost_scale": 2.0}
    return mc.save_model(small_network(**settings), folder / name, card)


def small_contraction_network(width: int = 16, depth: int = 3, seed: int = 0) -> ContractionNetwork:
    """Random weights."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return ContractionNetwork(ContractionConfig(width, depth)).eval()
