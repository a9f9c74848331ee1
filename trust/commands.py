"""Commands that write, run in forked processes, and what they leave."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import multicut as mc
from multicut.cli import main as run_program

_CONFIG = """
train = "{folder}/graphs"
validation = "{folder}/graphs"
instances = 60
batch_size = 10
alpha = 0.0
max_cycle_length = 3
log_every = 20
validate_every = 20
checkpoint_every = 20
accelerator = "cpu"
output = "{folder}/run"
seed = 1
[network]
architecture = "gcn_w"
width = 8
depth = 2
classifier_width = 8
"""


@dataclass(frozen=True)
class Command:
    """A command that writes.

    Attributes
    ----------
    name
        The command.
    arguments
        What it is called with, in the folder at hand.
    target
        What it writes, there: a file, or a folder.
    resumes
        Whether it goes on where it was killed, so that `target` may be incomplete meanwhile.
    """

    name: str
    arguments: tuple[str, ...]
    target: str
    resumes: bool = False

    def put_old(self, target: Path) -> str:
        """Put an old file in the place, if there was none it is absent; return its digest."""
        if self.resumes:
            return "absent"
        if self.name == "segment into HDF5":  # keeps other datasets of the file
            remove(target)
            mc.vision.write_image(target, np.arange(20), "other")
        else:
            target.write_bytes(b"old")
        target.chmod(0o666)
        return content(target)


COMMANDS = (
    Command("solve", ("solve", "large.npz", "-s", "gaec", "-o", "labels.csv"), "labels.csv"),
    Command("convert", ("convert", "large.npz", "copy.csv"), "copy.csv"),
    Command("convert to HDF5", ("convert", "large.npz", "copy.h5"), "copy.h5"),
    Command("segment", ("segment", "image.png", "-o", "segments.tif"), "segments.tif"),
    Command("segment into HDF5", ("segment", "image.png", "-o", "labels.h5"), "labels.h5"),
    Command(
        "generate",
        ("generate", "randommp", "--num", "60", "--label", "gaec", "-o", "data"),
        "data",
        resumes=True,
    ),
    Command("train", ("train", "run.toml"), "run/model.safetensors", resumes=True),
    Command(
        "segment block by block",
        ("segment", "volume.zarr", "-o", "blocks.zarr", "--blockwise", "--workers", "1"),
        "blocks.zarr",
        resumes=True,
    ),
    Command(
        "solve block by block",
        ("solve", "table.parquet", "-o", "blocks.parquet", "--blocks", "4", "--workers", "1"),
        "blocks.parquet",
        resumes=True,
    ),
)


class Campaign:
    """Counts faults, and keeps what went wrong."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder = folder
        self.inputs: set[str] = set()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.chance = random.Random(seed)

    def check(self, holds: bool, what: str) -> None:
        """Note what is wrong."""
        if not holds:
            self.wrong.append(what)
            print(f"WRONG: {what}", flush=True)


def prepare(campaign: Campaign, names: set[str]) -> None:
    """Write what commands read, and import what they import."""
    folder = campaign.folder
    os.chdir(folder)
    folder.chmod(0o755)
    mc.write(mc.datasets.randommp(30_000, seed=0), "large.npz")
    if "segment" in names or "segment into HDF5" in names:
        _prepare_image()
    if "train" in names:
        _prepare_training(folder)
    if "segment block by block" in names:
        _prepare_volume(folder / "volume.zarr")
    if "solve block by block" in names:
        _prepare_table()
    campaign.inputs = {path.name for path in folder.iterdir()}


def _prepare_image() -> None:
    # While it is loaded, OpenBLAS waits for ever for the 32 MB that a limit of memory denies it.
    import scipy.special  # noqa: F401

    rng = np.random.default_rng(0)
    blocks = np.kron(rng.integers(0, 255, (12, 12, 3)), np.ones((16, 16, 1))).astype(np.uint8)
    mc.vision.write_image("image.png", blocks)


def _prepare_training(folder: Path) -> None:
    import torch

    import multicut.training  # noqa: F401

    torch.set_num_threads(1)
    graphs = mc.datasets.generate("irismp", 20)
    graphs.with_results(mc.solve_batch(graphs, "gaec", num_workers=1)).save("graphs")
    Path("run.toml").write_text(_CONFIG.format(folder=folder))


def _prepare_volume(folder: Path) -> None:
    """Write walls between cells, in eight chunks, as zarr does."""
    rng = np.random.default_rng(0)
    walls = rng.random((64, 64, 64)) * 0.4
    walls[::8], walls[:, ::8], walls[:, :, ::8] = 0.9, 0.9, 0.9
    folder.mkdir()
    description = {
        "zarr_format": 2,
        "shape": walls.shape,
        "chunks": (32, 32, 32),
        "dtype": "<f4",
        "compressor": None,
        "filters": None,
        "fill_value": 0,
        "order": "C",
    }
    (folder / ".zarray").write_text(json.dumps(description))
    for z, y, x in np.ndindex(2, 2, 2):
        part = walls[32 * z :, 32 * y :, 32 * x :][:32, :32, :32]
        (folder / f"{z}.{y}.{x}").write_bytes(part.astype("<f4").tobytes())


def _prepare_table() -> None:
    """Write a table of edges, in a process of its own: threads of pyarrow do not survive forks."""
    code = (
        "import multicut as mc, pyarrow as pa, pyarrow.parquet as pq\n"
        "p = mc.datasets.randommp(3000, seed=0)\n"
        "columns = {'u': p.edges[:, 0], 'v': p.edges[:, 1], 'cost': p.costs}\n"
        "pq.write_table(pa.table(columns), 'table.parquet')"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def run(
    arguments: tuple[str, ...],
    before: Callable[[], object] | None = None,
    kill_after: float | None = None,
) -> tuple[int, str]:
    """Run a command in a forked process; return its exit status, negative for a signal, and stderr.

    `before` is called in that process first.
    """
    with tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            status = 99
            try:
                os.setpgid(0, 0)
                null = os.open(os.devnull, os.O_WRONLY)
                os.dup2(null, 1)
                os.dup2(errors.fileno(), 2)
                if before is not None:
                    before()
                # Those of the parent know what kind of file was there.
                sys.stdout = os.fdopen(1, "w", closefd=False)
                sys.stderr = os.fdopen(2, "w", closefd=False)
                status = run_program(list(arguments))
                sys.stdout.flush()
            except SystemExit as error:
                status = error.code if isinstance(error.code, int) else 1
            except BaseException as error:
                os.write(2, f"not caught: {type(error).__name__}: {error}\n".encode())
            finally:
                with suppress(BaseException):
                    sys.stderr.flush()
                os._exit(status)
        if kill_after is not None:
            time.sleep(kill_after)
            with suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        errors.seek(0)
        text = errors.read().decode(errors="replace")
    return os.waitstatus_to_exitcode(status), text


def content(path: Path) -> str:
    """Return a digest of a file, or of all files of a folder that are not hidden."""
    if not path.exists():
        return "absent"
    digest = hashlib.sha256()
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())
    for file in files:
        digest.update(str(file.relative_to(path.parent)).encode() + file.read_bytes())
    return digest.hexdigest()


def remove(path: Path) -> None:
    """Remove a file or a folder, and what a run keeps beside it."""
    if path.is_dir():
        shutil.rmtree(path)
    path.unlink(missing_ok=True)


def leftovers(folder: Path) -> list[str]:
    """List what killed processes have left."""
    return sorted(p.name for p in folder.iterdir() if p.name.startswith(".") or "partial" in p.name)


def clear(campaign: Campaign) -> None:
    """Remove all that a command has written."""
    for path in campaign.folder.iterdir():
        if path.name not in campaign.inputs:
            remove(path)
