"""Whether this process was forked off one that had loaded torch.

The threads that torch computes with do not survive a fork, and a parallel computation in the child
waits for them for ever. One thread still works, so networks use no more than one there
(:mod:`multicut.nn.threads`).
"""

from __future__ import annotations

import concurrent.futures.thread
import logging
import os
import sys
from collections.abc import Callable

# Their hooks take locks before a fork, and hooks run in the reverse order of their registration:
# imported later, they would hold what an import needs that is waited for here.
_IMPORTED_BEFORE = (concurrent.futures.thread, logging)

_inherits_torch = False
_before_fork: list[Callable[[], object]] = []


def inherits_torch() -> bool:
    """Whether torch was loaded before this process was forked off."""
    return _inherits_torch


def before_fork(call: Callable[[], object]) -> None:
    """Have something called in the parent before each fork."""
    _before_fork.append(call)


def _prepare() -> None:
    for call in _before_fork:
        call()


def _note() -> None:
    global _inherits_torch
    _inherits_torch = _inherits_torch or "torch" in sys.modules


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_prepare, after_in_child=_note)
