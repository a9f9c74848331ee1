"""What has been labelled so far, safe against being killed at any moment."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from multicut._target import locked_folder, write_whole
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.container import is_container, read_header, write_folder
from multicut.datasets.dataset import Dataset
from multicut.datasets.labelling.chunk import Chunk
from multicut.datasets.labelling.job import Job

# All that runs put into the folder they work in.
_OWN_FILE = re.compile(
    r"lock|packed|(job\.json|\d{10}\.npz)(\.part)?|\.(job\.json|\d{10}\.npz)(\.\d)?\.part"
)


class Store:
    """The folder beside a dataset in which it grows: ``NAME.partial``.

    ``job.json`` says what is to be done. Each chunk is one file, which is written under another
    name, flushed to disk and then renamed: it is there as a whole or not at all. When all are
    there, the dataset is written inside this folder and moved to its place by one renaming.

    Parameters
    ----------
    job
        What is to be done; a folder that was begun for another job is refused.
    target
        Where the dataset is to appear.
    """

    def __init__(self, job: Job, target: Path) -> None:
        if target.name in ("", ".."):
            raise ValueError(
                f"{str(target)!r} is not a valid name for a dataset; name a folder that does not "
                f"exist yet"
            )
        self.job = job
        self.target = target
        self.folder = target.with_name(f"{target.name}.partial")

    def is_complete(self) -> bool:
        """Whether the dataset is in its place; another one there is an error."""
        if not self.target.exists():
            return False
        if not is_container(self.target):
            raise FileExistsError(f"{self.target}: exists already; choose another name")
        header = read_header(self.target)
        is_same = _origin(header.get("info", {})) == _origin(self.job.describe())
        if not is_same or header.get("num_graphs") != self.job.num:
            raise FileExistsError(
                f"{self.target}: contains another dataset; choose another name or remove it"
            )
        return True

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Make or find the folder, and keep other processes out of it."""
        if not self.target.parent.is_dir():
            raise FileNotFoundError(
                f"{self.target}: there is no folder {str(self.target.parent)!r}; create it first"
            )
        if (foreign := self._foreign()) is not None:
            raise FileExistsError(
                f"{self.folder}: is needed to work in, but holds {foreign!r}; choose another name "
                f"for the dataset"
            )
        self.folder.mkdir(exist_ok=True)
        with locked_folder(self.folder):
            # Whoever had the lock before may have finished, and removed the folder.
            if not self.is_complete():
                self._check_job()
            yield

    def _foreign(self) -> str | None:
        """Return something in the folder that no run has put there; None if there is nothing."""
        entries = self.folder.iterdir() if self.folder.is_dir() else ()
        return next((e.name for e in entries if not _OWN_FILE.fullmatch(e.name)), None)

    def _check_job(self) -> None:
        file = self.folder / "job.json"
        wanted = self.job.to_dict()
        if not file.exists():
            write_whole(file, json.dumps(wanted, indent=2).encode())
            return
        try:
            begun = dict(json.loads(file.read_bytes()))
        except (ValueError, TypeError):
            raise ValueError(
                f"{file}: is damaged; remove {str(self.folder)!r} and start again"
            ) from None
        # Whatever size its chunks were begun with, they fit together only with each other.
        different = [key for key in wanted if begun.get(key) != wanted[key]]
        if different and not any(self.folder.glob("*.npz")):  # nothing done yet, nothing to lose
            write_whole(file, json.dumps(wanted, indent=2).encode())
        elif different:
            key = different[0]
            raise ValueError(
                f"{self.folder}: was started with {key} {begun.get(key)!r}, not {wanted[key]!r}; "
                f"continue with that, choose another name or remove the folder"
            )

    def _file(self, first: int) -> Path:
        return self.folder / f"{first:010d}.npz"

    def put(self, chunk: Chunk) -> None:
        """Save a chunk."""
        write_whole(self._file(chunk.first), chunk.to_bytes())

    def get(self, first: int, last: int) -> Chunk | None:
        """Return a chunk, or None if it is not there as a whole."""
        try:
            chunk = Chunk.of_bytes(self._file(first).read_bytes())
        except FileNotFoundError:
            return None
        return chunk if chunk is not None and (chunk.first, chunk.last) == (first, last) else None

    def pack(self) -> None:
        """Put all chunks together and the dataset in its place."""
        job = self.job
        arrays = job.draw(job.start, job.start + job.num)
        if job.solver is not None:
            arrays = self._with_labels(arrays)
        dataset = Dataset(
            arrays,
            name=f"{job.generator}-{job.split}",
            numbers=np.arange(job.start, job.start + job.num),
            info=job.describe(),
        )
        packed = self.folder / "packed"
        if packed.exists():  # left by a run that was killed here
            shutil.rmtree(packed)
        write_folder(dataset, packed)
        packed.rename(self.target)

    def remove(self) -> None:
        """Remove the folder, once the dataset is in its place."""
        if self._foreign() is None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _with_labels(self, arrays: DatasetArrays) -> DatasetArrays:
        cut, objective, lower_bound = [], [], []
        for first, last in self.job.chunks():
            chunk = self.get(first, last)
            assert chunk is not None
            part = arrays.section(first - self.job.start, last - self.job.start)
            if part.fingerprint() != chunk.fingerprint:
                raise ValueError(
                    f"{self._file(first)}: the labels belong to other graphs than those "
                    f"generated now (another "
                    f"version of numpy?); remove {str(self.folder)!r} and start again"
                )
            cut.append(chunk.cut)
            objective.append(chunk.objective)
            lower_bound.append(chunk.lower_bound)
        return replace(
            arrays,
            cut=np.concatenate(cut),
            objective=np.concatenate(objective),
            lower_bound=np.concatenate(lower_bound),
        )


def _origin(info: dict[str, Any]) -> dict[str, Any]:
    """Return where a dataset comes from, whichever version of the package made it."""
    labels = {key: value for key, value in info.get("labels", {}).items() if key != "multicut"}
    return {"generator": info.get("generator"), "labels": labels}
