"""What comes of runs in a few archives of bounded size, to be carried to another machine."""

from __future__ import annotations

import tarfile
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from multicut.training.checkpoint import checkpoint_path
from paper.retrain.jobs import Job

_HISTORY = (
    "config.json",
    "log.txt",
    "model.json",
    "summary.json",
    "tests.json",
    "training.csv",
    "validation.csv",
)


def pack(
    jobs: Sequence[Job], folder: Path, *, weights: Sequence[str], most_bytes: int, parts: int
) -> list[Path]:
    """Write the histories of all runs, the weights of some, and checkpoints of unfinished ones.

    Parameters
    ----------
    jobs
        The runs.
    folder
        Where archives go.
    weights
        Names of runs begin with one of these, if their weights are wanted.
    most_bytes
        The size of an archive.
    parts
        How many archives of weights there may be, and how many of checkpoints.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folders = dict.fromkeys(job.folder for job in jobs)  # parts of a trunk share one
    histories = [each / name for each in folders for name in _HISTORY if (each / name).exists()]
    paths = [folder / "histories.tar.gz"]
    _write(paths[0], histories, "w:gz")
    wanted = [
        job.folder / "model.safetensors"
        for job in jobs
        if not job.is_trunk and any(job.name.startswith(name) for name in weights)
    ]
    unfinished = dict.fromkeys(
        checkpoint_path(job.folder) for job in jobs if job.state not in ("done", "waiting")
    )
    paths += _in_parts(wanted, folder, "weights", most_bytes, parts)
    paths += _in_parts(unfinished, folder, "checkpoints", most_bytes, parts)
    return paths


def _in_parts(
    files: Iterable[Path], folder: Path, name: str, most_bytes: int, parts: int
) -> list[Path]:
    """Write files to archives one after another, as long as there is room."""
    groups: list[list[Path]] = [[]]
    room = most_bytes
    for path in files:
        if not path.exists():
            continue
        size = path.stat().st_size + 2_048  # and a header
        if size > room - 10_240:
            if len(groups) == parts:
                break
            groups.append([])
            room = most_bytes
        groups[-1].append(path)
        room -= size
    written = []
    for number, group in enumerate(groups, 1):
        if group:
            target = folder / f"{name}-{number}.tar"
            _write(target, group, "w")
            written.append(target)
    return written


def _write(target: Path, files: Iterable[Path], mode: Literal["w", "w:gz"]) -> None:
    """Write an archive, or leave the one before: what is there is whole at any time."""
    draft = target.with_name(f"{target.name}.part")
    with tarfile.open(draft, mode) as archive:
        for path in files:
            archive.add(path, f"{path.parent.name}/{path.name}")
    draft.replace(target)
