"""Tasks of the stages of a volume, which all know its job."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from multicut.distributed.stages import Summary
from multicut.distributed.volume.job import Job


def of_job(task: Callable[..., Summary]) -> Callable[..., Summary]:
    """Turn a function of a folder, its job and more arguments into a task of a stage."""

    @functools.wraps(task)
    def run(folder: str, *arguments: Any) -> Summary:
        return task(Path(folder), Job.load(folder), *arguments)

    return run
