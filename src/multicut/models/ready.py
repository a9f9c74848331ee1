"""Models ready for use: loaded once, and on the device that is asked for."""

from __future__ import annotations

import copy
import os
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from multicut._extras import NETWORKS, needed
from multicut.models.devices import as_device
from multicut.models.files import load_model
from multicut.models.registry import DEFAULT_MODEL, find_model, has_model

if TYPE_CHECKING:
    import torch

    from multicut.nn.model import Model


def ready_model(
    model: str | os.PathLike[str] | Model | None, device: str | None, default: str = DEFAULT_MODEL
) -> Model:
    """Load a model, unless it is loaded, and bring it to a device."""
    needed(*NETWORKS, by="a network")
    import torch

    from multicut.nn.model import Model
    from multicut.nn.threads import threads_for

    if isinstance(model, Model):
        place = as_device(model.device if device is None else device)
        with threads_for(0):
            # The caller's own model stays where it is, and in the mode it is in.
            return model if place == model.device else copy.deepcopy(model).to(place)
    if model is None:
        if not has_model(default):
            raise ValueError(
                f"no model is given, and {default!r} is not part of this version; "
                f"pass model=..., the name or the path of one"
            )
        model = default
    if device is None:
        device = "cuda" if torch.cuda.is_available() else "cpu"
    weights = find_model(model).path.resolve()
    card = weights.with_name(weights.name.removesuffix(".safetensors") + ".json")
    changed = (weights.stat().st_mtime_ns, card.stat().st_mtime_ns)
    return _loaded(weights, changed, as_device(device))


@lru_cache(maxsize=4)
def _loaded(weights: Path, changed: tuple[int, int], device: torch.device) -> Model:  # noqa: ARG001
    """Load a file once, until it changes."""
    return load_model(weights, device)
