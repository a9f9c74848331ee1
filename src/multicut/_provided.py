"""What higher layers provide to lower ones.

Lower layers never import from higher ones. The few things they need from there are handed over by
the package itself when it is imported, as functions that import their layer when they are called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_functions: dict[str, Callable[..., Any]] = {}


def provide(name: str, function: Callable[..., Any]) -> None:
    """Hand over a function under a name."""
    _functions[name] = function


def provided(name: str) -> Callable[..., Any]:
    """Return the function that was handed over under a name."""
    return _functions[name]
