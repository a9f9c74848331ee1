"""Start :mod:`multicut.training.worker`: a run, or a part of one, in a process of its own."""

from __future__ import annotations

import pickle  # nosec B403
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any


def start_worker(
    job: Mapping[str, Any], log: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a process that trains.

    It is in a group of its own, so that Ctrl-C in a terminal reaches only the process that starts
    it, which decides what becomes of the others.

    Parameters
    ----------
    job
        What it calls :func:`multicut.training.train` with.
    log
        The file that what it says goes to.
    environment
        Its environment; by default that of this process.
    """
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", "multicut.training.worker"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=file,
            stderr=subprocess.STDOUT,
            process_group=0,
        )
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as stream:  # its log says why it has ended
        pickle.dump(dict(job), stream)
    return process


def last_words(log: Path) -> str:
    """Return the last line of what a process said, which names its error."""
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no message"
