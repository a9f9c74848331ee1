"""Whether this process was forked off one that had loaded torch.

The threads that torch computes with do not survive a fork, and a parallel computation in the child
waits for them for ever. One thread still works, so networks use no more than one there
(:mod:`multicut.nn.threads`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

_inherits_torch = False
_in_child: list[Callable[[], object]] = []


def inherits_torch() -> bool:
    """Whether torch was loaded before this process was forked off."""
    return _inherits_torch


def after_fork(call: Callable[[], object]) -> None:
    """Have something called in each process that is forked off this one."""
    _in_child.append(call)


def _note() -> None:
    global _inherits_torch
    _inherits_torch = _inherits_torch or "torch" in sys.modules
    for call in _in_child:
        call()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_note)
