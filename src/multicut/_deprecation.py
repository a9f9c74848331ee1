"""Public names that are going to be removed: they keep working, and say what to use instead."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_P = ParamSpec("_P")
_R = TypeVar("_R")


def warn_deprecated(name: str, *, instead: str, removed_in: str, stacklevel: int = 2) -> None:
    """Warn the caller of a public function that a name is going to be removed.

    Parameters
    ----------
    name
        What is deprecated, such as ``"the option 'rounds' of solver 'klj'"``.
    instead
        What to use.
    removed_in
        The version that removes it: at least one minor version later, see docs/stability.md.
    stacklevel
        How many calls above the one of this function the name was used.
    """
    text = f"{name} is deprecated, and version {removed_in} removes it; use {instead}"
    warnings.warn(text, DeprecationWarning, stacklevel=stacklevel + 1)


def deprecated(*, instead: str, removed_in: str) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Return a decorator for a public function that is going to be removed."""

    def mark(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def warned(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            warn_deprecated(f"{function.__name__}()", instead=instead, removed_in=removed_in)
            return function(*args, **kwargs)

        return warned

    return mark
