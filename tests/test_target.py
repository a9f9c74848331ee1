"""Files are complete or absent, whatever happens while they are written."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut._target import open_folder, open_target, write_whole

HOLDING = """
import sys, time
from pathlib import Path
from multicut._target import open_folder, open_target
path = Path(sys.argv[2])
with {"file": open_target, "folder": open_folder}[sys.argv[1]](path) as target:
    if sys.argv[1] == "file":
        target.write(b"half of the new content")
        target.flush()
    else:
        (target / "half").write_text("new")
    print("writing", flush=True)
    time.sleep(600)
"""
SAVING = """
import sys
import numpy as np
import multicut as mc
n = 60_000
problem = mc.Problem(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), np.ones(n - 1))
result = mc.solve(problem, "gaec")
result.save(sys.argv[1])
print("saved", flush=True)
while True:
    result.save(sys.argv[1])
"""
# Ends with exit code 0 only if all writers raise an error of one line.
FULL_DISK = """
import json, resource, sys
from pathlib import Path
import numpy as np
import multicut as mc
from multicut import vision
from multicut.plotting.saving import save_figure
from multicut.datasets import generate

folder = Path(sys.argv[1])
labels = np.random.default_rng(0).integers(0, 60_000, (300, 300))
problem = mc.datasets.randommp(3000, seed=0)
result = mc.solve(problem, "gaec")
from matplotlib.figure import Figure
figure = Figure()
figure.add_subplot().imshow(labels)
data = generate("randommp", 3)
writers = {
    "labels.npy": result.save, "labels.csv": result.save, "result.json": result.save,
    **{name: lambda path: mc.write(problem, path) for name in
       ("p.txt", "p.csv", "p.csv.gz", "p.npz", "p.h5", "p.andres.h5")},
    **{name: lambda path: vision.write_labels(path, labels) for name in
       ("s.h5", "s.npy", "s.npz", "s.png", "s.tif")},
    **{name: lambda path: save_figure(figure, path) for name in ("f.png", "f.pdf", "f.svg")},
    "data": lambda path: data.save(path, overwrite=True),
}
limit = 1500
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
errors = {}
for name, write in writers.items():
    try:
        write(folder / name)
    except (OSError, ValueError) as error:
        errors[name] = str(error)
print(json.dumps([sorted(writers), errors]))
"""


def run_until(word: str, code: str, *arguments: object) -> subprocess.Popen[str]:
    """Start a program and return when it prints a word."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == word
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    assert process.wait(timeout=30) == -signal.SIGKILL
    process.stdout.close()


def hidden(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir() if entry.name.startswith("."))


def test_a_kill_leaves_the_old_file_and_the_next_writing_no_leftover(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("old")
    kill(run_until("writing", HOLDING, "file", path))
    assert path.read_text() == "old"
    assert hidden(tmp_path) == [".labels.csv.part"]
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert hidden(tmp_path) == []


def test_what_a_living_process_writes_is_left_alone(tmp_path):
    path = tmp_path / "labels.csv"
    process = run_until("writing", HOLDING, "file", path)
    try:
        write_whole(path, "new")
        assert path.read_text() == "new"
        assert hidden(tmp_path) == [".labels.csv.part"]
    finally:
        kill(process)
    write_whole(path, "newer")
    assert hidden(tmp_path) == []


def test_kills_while_a_result_is_saved_leave_whole_files(tmp_path):
    path = tmp_path / "labels.csv"
    for attempt in range(4):
        process = run_until("saved", SAVING, path)
        time.sleep(0.02 * attempt)
        kill(process)
        with path.open(newline="") as file:
            rows = list(csv.reader(file))
        assert len(rows) == 60_001
        assert rows[-1] == ["59999", "0"]
    mc.solve(mc.Problem([[0, 1]], [1.0])).save(path)
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_leaves_old_files_and_no_new_ones(tmp_path):
    command = [sys.executable, "-c", FULL_DISK, tmp_path]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names, errors = json.loads(done.stdout)
    assert sorted(errors) == names
    odd = {name: text for name, text in errors.items() if "\n" in text or "too large" not in text}
    assert odd == {}
    assert list(tmp_path.iterdir()) == []

    small = np.arange(16).reshape(4, 4)
    mc.vision.write_labels(tmp_path / "s.h5", small)
    (tmp_path / "labels.csv").write_text("old")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["labels.csv", "s.h5"]
    assert (tmp_path / "labels.csv").read_text() == "old"
    assert np.array_equal(mc.vision.read_image(tmp_path / "s.h5"), small)


def test_two_writers_of_one_file(tmp_path):
    path = tmp_path / "both.txt"
    with open_target(path) as first:
        first.write(b"first")
        with open_target(path) as second:
            second.write(b"second")
        assert path.read_bytes() == b"second"
    assert path.read_bytes() == b"first"
    assert list(tmp_path.iterdir()) == [path]


def test_many_processes_write_one_file(tmp_path):
    code = """
import sys
from pathlib import Path
from multicut._target import write_whole
for number in range(60):
    write_whole(Path(sys.argv[1]), sys.argv[2] * 1000)
"""
    path = tmp_path / "one.txt"
    command = [sys.executable, "-c", code, path]
    writers = [subprocess.Popen([*command, letter]) for letter in "abc"]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0, 0]
    assert path.read_text() in {letter * 1000 for letter in "abc"}
    assert list(tmp_path.iterdir()) == [path]


def test_files_of_others_stay(tmp_path):
    path = tmp_path / "labels.csv"
    mine = tmp_path / ".labels.csv.partner"
    mine.write_text("mine")
    (tmp_path / ".labels.csv.part").symlink_to(mine)
    os.mkfifo(tmp_path / ".labels.csv.2.part")
    write_whole(path, "new")
    assert path.read_text() == "new"
    assert mine.read_text() == "mine"
    assert hidden(tmp_path) == [".labels.csv.2.part", ".labels.csv.part", mine.name]


def test_names_of_any_length(tmp_path):
    path = tmp_path / ("x" * 251 + ".txt")
    write_whole(path, "new")
    assert list(tmp_path.iterdir()) == [path]


def test_a_kill_leaves_the_old_folder_and_the_next_writing_no_leftover(tmp_path):
    path = tmp_path / "data"
    path.mkdir()
    (path / "old").touch()
    kill(run_until("writing", HOLDING, "folder", path))
    assert [entry.name for entry in path.iterdir()] == ["old"]
    assert hidden(tmp_path) == [".data.part"]
    with open_folder(path) as part:
        (part / "new").touch()
    assert [entry.name for entry in path.iterdir()] == ["new"]
    assert hidden(tmp_path) == []


def test_a_folder_that_was_moved_away_comes_back(tmp_path):
    path = tmp_path / "data"
    (tmp_path / ".data.former").mkdir()
    (tmp_path / ".data.former" / "old").touch()
    with pytest.raises(ValueError, match="stop"), open_folder(path):
        raise ValueError("stop")
    assert [entry.name for entry in path.iterdir()] == ["old"]
    assert hidden(tmp_path) == []


def test_errors_name_the_file(tmp_path):
    link = tmp_path / "labels.csv"
    link.symlink_to("/dev/full")
    result = mc.solve(mc.Problem([[0, 1]], [1.0]))
    with pytest.raises(OSError, match=r"No space left on device: .*labels.csv"):
        result.save(link)


def test_many_processes_save_one_dataset(tmp_path):
    code = """
import sys
import multicut as mc
data = mc.datasets.generate("randommp", int(sys.argv[2]), mean_nodes=10)
for _ in range(60):
    data.save(sys.argv[1], overwrite=True)
"""
    path = tmp_path / "data"
    command = [sys.executable, "-c", code, path]
    writers = [
        subprocess.Popen([*command, number], stderr=subprocess.PIPE, text=True) for number in "123"
    ]
    complaints = [writer.communicate(timeout=120)[1] for writer in writers]
    assert complaints == ["", "", ""]
    assert len(mc.Dataset.load(path, verify=True)) in (1, 2, 3)
    assert list(tmp_path.iterdir()) == [path]


def test_a_lock_of_a_killed_process_holds_up_nobody(tmp_path):
    (tmp_path / ".data.lock").touch()
    with open_folder(tmp_path / "data") as part:
        (part / "new").touch()
    assert [entry.name for entry in tmp_path.iterdir()] == ["data"]


@pytest.fixture
def no_locks(monkeypatch):
    """A system as Windows: no fcntl, folders cannot be opened, nor open files moved or removed."""
    opened, replaced, unlinked = os.open, Path.replace, Path.unlink

    def open_a_file(path, *arguments, **keywords):
        if Path(path).is_dir():
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *arguments, **keywords)

    def check_closed(path):
        if not path.exists():
            return
        place = path.stat()
        for entry in Path("/proc/self/fd").iterdir():
            try:
                is_open = os.path.samestat(os.fstat(int(entry.name)), place)
            except OSError:
                continue
            if is_open:
                raise PermissionError(32, "is being used by another process", str(path))

    def replace(path, target):
        check_closed(path)
        return replaced(path, target)

    def unlink(path, missing_ok=False):
        check_closed(path)
        unlinked(path, missing_ok=missing_ok)

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setattr(os, "open", open_a_file)
    monkeypatch.setattr(shutil, "_use_fd_functions", False)
    monkeypatch.setattr(Path, "replace", replace)
    monkeypatch.setattr(Path, "unlink", unlink)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="needs to list open files")
@pytest.mark.usefixtures("no_locks")
class TestWithoutLocks:
    def test_files(self, tmp_path):
        path = tmp_path / "one.txt"
        write_whole(path, "old")
        write_whole(path, "new")
        assert path.read_text() == "new"
        with pytest.raises(ValueError, match="stop"), open_target(path):
            raise ValueError("stop")
        assert path.read_text() == "new"
        assert list(tmp_path.iterdir()) == [path]

    def test_folders(self, tmp_path):
        path = tmp_path / "data"
        for name in ("old", "new"):
            with open_folder(path) as part:
                (part / name).touch()
        with pytest.raises(ValueError, match="stop"), open_folder(path):
            raise ValueError("stop")
        assert [entry.name for entry in path.iterdir()] == ["new"]
        assert list(tmp_path.iterdir()) == [path]

    def test_old_leftovers_go_and_new_ones_stay(self, tmp_path):
        (tmp_path / ".one.txt.part").touch()
        (tmp_path / ".one.txt.2.part").touch()
        (tmp_path / ".data.part").mkdir()
        long_ago = time.time() - 2 * 24 * 3600
        for name in (".one.txt.part", ".data.part"):
            os.utime(tmp_path / name, (long_ago, long_ago))
        write_whole(tmp_path / "one.txt", "new")
        with open_folder(tmp_path / "data"):
            pass
        assert hidden(tmp_path) == [".one.txt.2.part"]
