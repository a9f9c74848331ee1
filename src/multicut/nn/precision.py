"""In which numbers a network computes."""

from __future__ import annotations

import torch


def fast_precision(device: torch.device) -> str:
    """Return the shortest numbers that a device is fast with."""
    if device.type != "cuda":
        return "float32"
    with torch.cuda.device(device):
        has_bfloat16 = torch.cuda.is_bf16_supported(including_emulation=False)
    return "bfloat16" if has_bfloat16 else "float32"
