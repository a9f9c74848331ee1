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
    if str(device).partition(":")[0] == "cuda":
        raise ValueError(f"device={device!r}: {_why_not()}, or use device='cpu'")
    raise ValueError(f"device must be 'cpu' or 'cuda', got {device!r}")


def _why_not() -> str:
    """Say why there is no such GPU, and how to get one."""
    if torch.cuda.is_available():
        count = torch.cuda.device_count()
        return f"torch finds {count} GPU(s); name one of cuda:0 … cuda:{count - 1}"
    if torch.version.cuda is None:
        return (
            f"the installed torch {torch.__version__} is built without CUDA; install a build with "
            f"it (https://pytorch.org/get-started/locally)"
        )
    return (
        f"torch {torch.__version__} is built for CUDA {torch.version.cuda} but finds no GPU; "
        f"install the driver (nvidia-smi should list the GPU)"
    )
