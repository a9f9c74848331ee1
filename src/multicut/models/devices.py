"""Where models may be."""

from __future__ import annotations

import torch


def as_device(device: object) -> torch.device:
    """Check that networks can be computed on a device."""
    try:
        place: torch.device = torch.device(device)  # type: ignore[call-overload]
        if place.type in ("cpu", "cuda"):
            torch.empty(0, device=place)
            return place
    except (RuntimeError, TypeError, AssertionError):
        pass
    gpu = "'cuda'" if torch.cuda.is_available() else "'cuda' (but torch finds no GPU here)"
    raise ValueError(f"device must be 'cpu' or {gpu}, got {device!r}")
