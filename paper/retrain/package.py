"""What comes of runs in a few archives of bounded size, to be carried to another machine."""

from __future__ import annotations

import tarfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Literal

from multicut._words import count
from multicut.training.checkpoint import checkpoint_path
from paper.retrain.jobs import KEPT, Job

_HISTORY = (
    "config.json",
    "log.txt",
    "model.json",
    "summary.json",
    "tests.json",
    "training.csv",
    "validation.csv",
)


#: How many archives of weights and of checkpoints there may be together, with one of histories.
_ARCHIVES = 6


def pack(
    jobs: Sequence[Job],
    root: Path,
    folder: Path,
    *,
    weights: Sequence[str],
    most_bytes: int,
    say: Callable[[str], None] = print,
) -> list[Path]:
    """Write the histories of all runs, the weights of some, and checkpoints of unfinished ones.

    All archives unpacked into one folder are runs that the same command goes on with there.

    Parameters
    ----------
    jobs
        The runs.
    root
        The folder of all runs; names in archives are relative to it.
    folder
        Where archives go.
    weights
        Names of runs begin with one of these, if their weights are wanted. Those of runs that
        finetune always are: `paper.runs.record` needs them.
    most_bytes
        The size of an archive.
    say
        Told what there is no room for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    folders = dict.fromkeys(job.folder for job in jobs)  # parts of a trunk share one
    histories = [each / name for each in folders for name in _HISTORY if (each / name).exists()]
    paths = [folder / "histories.tar.gz"]
    _write(paths[0], root, histories, "w:gz")
    wanted = [
        job.folder / "model.safetensors"
        for job in jobs
        if not job.is_trunk
        and (job.config.finetune or any(job.name.startswith(name) for name in weights))
    ]
    unfinished = dict.fromkeys(
        path
        for job in jobs
        if job.state != "done"
        for path in (checkpoint_path(job.folder), job.folder / "model.safetensors")
        if path not in wanted
    )
    waiting = [job for job in jobs if job.state != "done"]
    beginnings = dict.fromkeys(path for job in waiting for path in _beginning(job))
    paths += _in_parts(wanted, root, folder, "weights", most_bytes, _ARCHIVES, say)
    kept = dict.fromkeys([*unfinished, *beginnings])
    room = _ARCHIVES + 1 - len(paths)
    paths += _in_parts(kept, root, folder, "checkpoints", most_bytes, room, say)
    return paths


def _beginning(job: Job) -> list[Path]:
    """Return what a job begins with of the files of the one that it waits for."""
    if job.needs is None:
        return []
    folder = job.starts_from or job.needs.keeps
    if folder is None:
        return [job.needs.folder / "model.safetensors"]
    return [folder / name for name in KEPT]


def _in_parts(
    files: Iterable[Path],
    root: Path,
    folder: Path,
    name: str,
    most_bytes: int,
    parts: int,
    say: Callable[[str], None],
) -> list[Path]:
    """Write files to archives one after another, as long as there is room."""
    groups: list[list[Path]] = [[]] if parts else []
    room = most_bytes
    present = [path for path in files if path.exists()]
    for path in present if parts else ():
        size = path.stat().st_size + 2_048  # and a header
        if size > room - 10_240:
            if len(groups) == parts:
                break
            groups.append([])
            room = most_bytes
        groups[-1].append(path)
        room -= size
    if (left_out := len(present) - sum(map(len, groups))) > 0:
        say(f"archives of {name} lack {count(left_out, 'file')}, for which there is no room")
    written = [folder / f"{name}-{number}.tar" for number, group in enumerate(groups, 1) if group]
    for target, group in zip(written, groups, strict=False):
        _write(target, root, group, "w")
    for old in set(folder.glob(f"{name}-*.tar")) - set(written):
        old.unlink()  # what was unfinished then is finished
    return written


def _write(target: Path, root: Path, files: Iterable[Path], mode: Literal["w", "w:gz"]) -> None:
    """Write an archive, or leave the one before: what is there is whole at any time."""
    draft = target.with_name(f"{target.name}.part")
    with tarfile.open(draft, mode) as archive:
        for path in files:
            archive.add(path, path.relative_to(root))
    draft.replace(target)
