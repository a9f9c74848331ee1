"""Sizes of the parts of a dataset."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real


def split_sizes(parts: Mapping[str, float], count: int) -> dict[str, int]:
    """Return how many of `count` graphs each part gets, in proportion to `parts`.

    Numbers that add up to `count` come back as they are. Graphs that remain after rounding down go
    to the parts with the largest remainders, the first of them where these are equal.
    """
    if not isinstance(parts, Mapping) or not parts:
        raise ValueError('parts must name at least one part, such as {"train": 0.8, "test": 0.2}')
    for name, weight in parts.items():
        if not isinstance(weight, Real) or not (math.isfinite(weight) and weight >= 0):
            raise ValueError(f"parts must be numbers of at least 0, got {weight!r} for {name!r}")
    total = sum(parts.values())
    if total <= 0:
        raise ValueError("parts must not all be 0")
    shares = {name: weight * count / total for name, weight in parts.items()}
    # Rounding noise in the shares must not decide about whole graphs.
    sizes = {name: math.floor(share + 1e-9) for name, share in shares.items()}
    rest = sorted(shares, key=lambda name: round(sizes[name] - shares[name], 9))
    for name in rest[: count - sum(sizes.values())]:
        sizes[name] += 1
    return sizes
