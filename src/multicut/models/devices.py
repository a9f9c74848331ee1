"""Where models may be."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING

from multicut._extras import is_installed, needed

if TYPE_CHECKING:
    import torch

# What torch says where CUDA was in use before a fork.
_AFTER_FORK = "forked subprocess"


class ForkedGpuError(RuntimeError):
    """The GPU was in use when this process was forked off, so that it cannot use it."""

    def __init__(self) -> None:
        super().__init__(
            "CUDA cannot be used in a forked process after its parent has used it; start processes "
            "with multiprocessing.get_context('spawn'), or pass device='cpu'"
        )


def as_device(device: object) -> torch.device:
    """Check that networks can be computed on a device."""
    needed("torch", by=f"device={str(device)!r}")
    import torch

    try:
        place: torch.device = torch.device(device)  # type: ignore[call-overload]
        if place.type in ("cpu", "cuda"):
            torch.empty(0, device=place)
            return place
    except (RuntimeError, TypeError, AssertionError) as error:
        if _AFTER_FORK in str(error):
            raise ForkedGpuError from None
    if str(device).partition(":")[0] == "cuda":
        raise ValueError(f"device={device!r}: {_why_not()}, or use device='cpu'")
    raise ValueError(f"device must be 'cpu' or 'cuda', got {device!r}")


def _why_not() -> str:
    """Say why there is no such GPU, and how to get one."""
    import torch

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


def may_have_gpu() -> bool:
    """Whether torch may find a GPU: until torch is imported, whether there is a driver."""
    from multicut.models.loading import is_loading

    if "torch" not in sys.modules or is_loading():
        return _has_driver()
    import torch

    return torch.cuda.is_available()


def all_gpus(device: object = None) -> list[str]:
    """Return the names of all GPUs, unless `device` names a single one or another device."""
    if device not in (None, "cuda") or not is_installed("torch") or not may_have_gpu():
        return []
    import torch

    return [f"cuda:{number}" for number in range(torch.cuda.device_count())]


def _has_driver() -> bool:
    library = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True
