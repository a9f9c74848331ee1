"""How much of the time of a network is rounding."""

from __future__ import annotations


def share_of_rounding(
    forward: float | None, total: float | None, transfer: float | None
) -> float | None:
    """Return the share of the time that is neither the forward pass nor the way to the device."""
    if forward is None or transfer is None or not total:
        return None
    return max(0.0, 1 - (forward + transfer) / total)
