"""``python -m multicut.training.worker``: a run, or a part of one, in a process of its own.

The arguments of :func:`multicut.training.train` come pickled through standard input, from the
process that started this one.
"""

from __future__ import annotations

import pickle  # nosec B403
import sys

from multicut.training.runner import train


def main() -> None:
    """Train as standard input says."""
    # From the process that started this one, never from a file.
    train(**pickle.load(sys.stdin.buffer))  # nosec B301


if __name__ == "__main__":
    main()
