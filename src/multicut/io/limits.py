"""Limits on the size of untrusted files."""

from __future__ import annotations

from dataclasses import dataclass, fields

# A damaged header may state any size. Files of arrays are compressed, but hardly better than this.
_FREE_BYTES = 1 << 28
_BYTES_PER_BYTE = 2000


def is_implausible(num_bytes: int, file_size: int) -> bool:
    """Whether a file is far too small for an array of so many bytes."""
    return num_bytes > max(_FREE_BYTES, _BYTES_PER_BYTE * file_size)


@dataclass(frozen=True)
class ReadLimits:
    """Limits that a reader checks before it allocates memory; None means no limit.

    A small file can describe a graph that exceeds any memory: by compression, as a complete graph,
    or by a number of nodes. A server that reads untrusted files has to refuse it beforehand.

    Attributes
    ----------
    max_bytes
        Bytes of content, after decompression.
    max_nodes, max_edges
        Size of one problem, before duplicate edges are merged.
    """

    max_bytes: int | None = None
    max_nodes: int | None = None
    max_edges: int | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if value is not None and (not isinstance(value, int) or value < 1):
                raise ValueError(f"{field.name} must be a positive integer or None, got {value!r}")

    def excess(self, **counts: int) -> str | None:
        """Return a message if one of the counts ``bytes``, ``nodes``, ``edges`` is too large."""
        for unit, count in counts.items():
            most: int | None = getattr(self, f"max_{unit}")
            if most is not None and count > most:
                return f"{count:,} {unit} are more than the limit of {most:,}"
        return None
