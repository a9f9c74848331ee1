"""What one visitor may ask of the machine that serves the page."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields

from multicut.io import ReadLimits

_BYTES_PER_MB = 1_000_000
# What is packed may unpack to so many times the size of an upload.
_UNPACKED = 8


@dataclass(frozen=True)
class AppLimits:
    """Limits that the server enforces, whatever a browser sends.

    Attributes
    ----------
    max_upload_mb
        Size of an uploaded file, in megabytes; it may unpack to eight times as much.
    max_pixels
        Pixels of an image.
    max_edges
        Edges of a problem; it may have as many nodes.
    time_limit
        The longest time, in seconds, that one solver may run.
    concurrency
        How many visitors are served at once; others wait in a queue.
    """

    max_upload_mb: float = 32.0
    max_pixels: int = 4_000_000
    max_edges: int = 1_000_000
    time_limit: float = 30.0
    concurrency: int = 2

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            whole = field.type == "int"
            if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
                kind = "a whole number" if whole else "a number"
                raise TypeError(f"{field.name} must be {kind}, got {value!r}")
            if not 0 < value < math.inf:
                raise ValueError(f"{field.name} must be positive and finite, got {value!r}")

    @property
    def max_upload_bytes(self) -> int:
        """Size of an uploaded file in bytes."""
        return int(self.max_upload_mb * _BYTES_PER_MB)

    @property
    def of_problems(self) -> ReadLimits:
        """What readers of problem files refuse."""
        return ReadLimits(
            max_bytes=_UNPACKED * self.max_upload_bytes,
            max_nodes=self.max_edges,
            max_edges=self.max_edges,
        )

    def parse_seconds(self, text: str | None) -> float | None:
        """Read a time limit that a visitor has typed; None for an empty text."""
        stripped = (text or "").strip()
        if not stripped:
            return None
        try:
            return self.seconds(float(stripped))
        except ValueError:
            raise ValueError(
                f"the time limit must be a number of seconds, got {stripped[:20]!r}"
            ) from None

    def seconds(self, wanted: object) -> float:
        """Return a time limit that a visitor asks for, brought into what is allowed."""
        if isinstance(wanted, bool) or not isinstance(wanted, int | float) or wanted != wanted:
            raise ValueError(f"the time limit must be a number of seconds, got {wanted!r}")
        return min(max(float(wanted), 0.0), self.time_limit)
