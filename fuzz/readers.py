"""Every reader of files as a function of bytes that fails only where a promise is broken.

A reader returns what the file says, or raises one error of one line. It never raises anything else,
never allocates much more than the file has bytes, and what it returns can be written and read.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc
from multicut.io import ReadLimits, list_formats, open_file

Target = Callable[[bytes], None]

# A few bytes may state a graph that takes long to build, such as a complete one.
_LIMITS = ReadLimits(max_bytes=1 << 22, max_nodes=1 << 16, max_edges=1 << 16)
#: Files of images, volumes and labels, by the first byte of an input.
IMAGE_SUFFIXES = (".npy", ".npz", ".png", ".tif", ".h5", ".jpg", ".bmp", ".webp")
_SEPARATOR = b"\n----\n"


@cache
def folder() -> Path:
    """Return a folder in memory, if there is one, that is deleted at the end."""
    memory = Path("/dev/shm")
    path = Path(tempfile.mkdtemp(prefix="multicut-fuzz-", dir=memory if memory.is_dir() else None))
    # Targets may run in forked processes; only the first one tidies up.
    owner = os.getpid()
    atexit.register(lambda: shutil.rmtree(path) if os.getpid() == owner else None)
    return path


def refused(error: BaseException) -> None:
    """Check that an error is one that users can understand; anything else passes through."""
    if not isinstance(error, ValueError | OSError):
        raise error
    text = str(error)
    assert text.strip(), f"{type(error).__name__} says nothing"
    assert "\n" not in text, f"an error of several lines: {text!r}"
    assert len(text) < 2000, f"an error of {len(text)} characters"


def checked(read: Callable[[], Any]) -> Any:
    """Return what a reader returns; None if it refuses the file."""
    try:
        return read()
    except (Exception, RecursionError, MemoryError) as error:
        refused(error)
        return None


class _Named(io.BytesIO):
    name = "input"


def _problems(format_name: str | None, data: bytes) -> None:
    def read() -> dict[str, mc.Problem]:
        return dict(open_file(_Named(data), format_name, limits=_LIMITS))

    problems = checked(read)
    for problem in (problems or {}).values():
        stream = io.BytesIO()
        checked(lambda problem=problem, stream=stream: mc.write(problem, stream, format="npz"))
        if stream.tell() > 0:  # some names cannot be stored
            stream.seek(0)
            assert mc.read(stream, format="npz") == problem, "a problem changes when it is written"


def _dataset(data: bytes) -> None:
    """Replace one file of a small dataset: the first byte says which."""
    path = folder() / "dataset"
    if not path.exists():
        problems = [mc.datasets.randommp(6, seed=seed) for seed in range(2)]
        mc.datasets.Dataset.from_problems(problems, name="fuzz").save(path)
    files = sorted(path.iterdir())
    file = files[data[0] % len(files)] if data else files[0]
    kept = file.read_bytes()
    file.write_bytes(data[1:])
    try:
        dataset = checked(lambda: mc.datasets.Dataset.load(path))
        if dataset is not None:
            checked(lambda: mc.datasets.Dataset.load(path, verify=True))
            for i in range(min(len(dataset), 8)):
                checked(lambda i=i: dataset[i])
    finally:
        file.write_bytes(kept)


def _model(data: bytes) -> None:
    """Replace the card or the weights of a small model: the first byte says which."""
    from multicut.models.files import load_model

    path = folder() / "model"
    if not path.exists():
        path.mkdir()
        source = mc.list_models("lr*")[0].path
        for suffix in (".json", ".safetensors"):
            shutil.copy(source.with_suffix(suffix), path / f"fuzz{suffix}")
        # Changed weights are to be looked at, not refused by their checksum.
        card = json.loads((path / "fuzz.json").read_text())
        card.pop("sha256", None)
        (path / "fuzz.json").write_text(json.dumps(card))
    file = path / ("fuzz.safetensors" if data[:1] == b"w" else "fuzz.json")
    kept = file.read_bytes()
    file.write_bytes(data[1:])
    try:
        checked(lambda: load_model(path / "fuzz"))
    finally:
        file.write_bytes(kept)


def _image(data: bytes) -> None:
    suffix = IMAGE_SUFFIXES[data[0] % len(IMAGE_SUFFIXES)] if data else ".npy"
    path = folder() / f"image{suffix}"
    path.write_bytes(data[1:])
    array = checked(lambda: mc.vision.read_image(path))
    if array is not None:
        assert array.dtype.kind in "uifb"
        assert array.nbytes <= max(1 << 28, 2000 * len(data)), "a small file becomes a huge array"


def _chunked(data: bytes) -> None:
    """Replace the metadata of a small array in a folder: the first byte says of which format."""
    is_n5 = data[:1] == b"n"
    path = folder() / ("volume.n5" if is_n5 else "volume.zarr")
    if not path.exists():
        mc.vision.write_image(path, np.arange(6, dtype=np.uint8).reshape(2, 3))
    file = path / "labels" / ("attributes.json" if is_n5 else ".zarray")
    kept = file.read_bytes()
    file.write_bytes(data[1:])
    try:
        checked(lambda: mc.vision.read_image(path))
    finally:
        file.write_bytes(kept)


def _config(data: bytes) -> None:
    from multicut.training.config import TrainingConfig

    path = folder() / "config.toml"
    path.write_bytes(data)
    config = checked(lambda: TrainingConfig.from_file(path))
    if config is not None:
        again = TrainingConfig.from_dict(config.to_dict())
        assert again == config, "a configuration changes when it is stored"


def _policy(data: bytes) -> None:
    from multicut.solvers.dual_greedy.policy import load_policy

    path = folder() / "policy.json"
    path.write_bytes(data)
    checked(lambda: load_policy(path))


def _corrections(data: bytes) -> None:
    from multicut.proofreading.corrections import read_corrections

    path = folder() / "corrections.jsonl"
    path.write_bytes(data)
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, -1.0, 0.5])
    if checked(lambda: read_corrections(path, 3)) is not None:
        checked(lambda: mc.Proofreader.load(path, problem))


def _initial(data: bytes) -> None:
    """Labels to start from: the first byte says which kind of file."""
    from multicut.cli.solve.start import read_labels

    suffix = (".npy", ".csv", ".json")[data[0] % 3] if data else ".npy"
    path = folder() / f"labels{suffix}"
    path.write_bytes(data[1:])
    problem = mc.Problem([[0, 1], [1, 2]], [1.0, -1.0])
    labels = checked(lambda: read_labels(path, problem))
    if labels is not None:
        with suppress(TypeError):  # labels that are no integers
            checked(lambda: mc.solve(problem, "klj", initial=labels))


def _cache_of_sets(data: bytes) -> None:
    """Open an archive of numpy, or several files, as a dataset: corpora that people download."""
    path = folder() / "corpus"
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    for i, content in enumerate(data.split(_SEPARATOR)[:3]):
        (path / f"file{i}.npz").write_bytes(content)
    with suppress(FileNotFoundError):
        checked(lambda: len(mc.datasets.open_dataset(path)))


#: All targets by name.
TARGETS: dict[str, Target] = {
    **{
        record.name: (lambda data, name=record.name: _problems(name, data))
        for record in list_formats()
    },
    "any": lambda data: _problems(None, data),
    "chunked": _chunked,
    "config": _config,
    "corpus": _cache_of_sets,
    "corrections": _corrections,
    "dataset": _dataset,
    "image": _image,
    "initial": _initial,
    "model": _model,
    "policy": _policy,
}
