"""Checkpoints: all that a run needs to go on as if it had never been stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from multicut._target import open_target
from multicut.training.config import TrainingConfig

# What may change between a run and its resumption.
_MAY_CHANGE = {
    "accelerator",
    "checkpoint_every",
    "cuda_graph",
    "devices",
    "instances",
    "log_every",
    "output",
    "validate_every",
}


def checkpoint_path(folder: Path) -> Path:
    """Return where the newest checkpoint of a run is."""
    return folder / "last.ckpt"


def save_checkpoint(folder: Path, content: dict[str, Any]) -> None:
    """Write a checkpoint, completely or not at all, however training is killed."""
    with open_target(checkpoint_path(folder)) as file:
        torch.save(content, file)


def find_checkpoint(folder: Path, config: TrainingConfig, restart: bool) -> dict[str, Any] | None:
    """Return the checkpoint to go on from, after a look at whether it is one of this run."""
    path = checkpoint_path(folder)
    if restart:
        # Or it would come back to life if this run were killed early.
        path.unlink(missing_ok=True)
    if not path.exists():
        return None
    try:
        content: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
        before = content["multicut"]["config"]
        int(content["global_step"])
    except Exception as error:
        raise ValueError(
            f"{path} is not a checkpoint of a training run ({type(error).__name__}); restart, or "
            f"choose another output"
        ) from None
    # A setting that the checkpoint does not know is newer than that run, which was as by default.
    defaults = TrainingConfig().to_dict()
    for name, value in config.to_dict().items():
        old = before.get(name, defaults[name])
        if name not in _MAY_CHANGE and old != value:
            raise ValueError(
                f"{folder} holds a run with {name} = {old!r}, not {value!r}; restart, or "
                f"choose another output"
            )
    return content
