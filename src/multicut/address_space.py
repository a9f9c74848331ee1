"""How much address space is left, where it is limited (``ulimit -v``)."""

from __future__ import annotations

from pathlib import Path


def room_left() -> int | None:
    """Return the bytes that this process may still map; None without a limit, or if not known."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return None
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return None
    return max(limit - pages * resource.getpagesize(), 0)
