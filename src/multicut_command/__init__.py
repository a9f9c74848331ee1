"""The program ``multicut``: imports the package where Ctrl-C can be caught.

It is a module of its own, since importing any module of a package runs the package first.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

INTERRUPTED = 130


def main() -> int:
    """Run the command line and return its exit code; 130 after Ctrl-C, also while it starts."""
    seen = []
    before: Any = signal.getsignal(signal.SIGINT)

    def note(number: int, frame: Any) -> None:
        seen.append(number)
        before(number, frame)

    # Some modules turn an interrupt while they are imported into another error, or none.
    if callable(before):
        signal.signal(signal.SIGINT, note)
    try:
        from multicut.cli import main as run

        if callable(before):
            signal.signal(signal.SIGINT, before)
    except BaseException:
        if not seen:
            raise
    if seen:
        if sys.stderr is not None:
            print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return run()
