"""Reading and writing by path."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError, write_all

PROBLEM = mc.Problem([[0, 1], [1, 2]], [1.5, -2])


@pytest.fixture
def packed(tmp_path: Path) -> Path:
    path = tmp_path / "packed.npz"
    names = [f"graph-{i}" for i in range(9)] + ["2"]
    write_all({name: mc.Problem([[0, 1]], [float(i)]) for i, name in enumerate(names)}, path)
    return path


def test_several_problems_need_a_choice(packed: Path) -> None:
    with pytest.raises(FormatError) as caught:
        mc.read(packed)
    assert str(caught.value) == (
        f"{packed}: holds 10 problems (graph-0, graph-1, graph-2, graph-3, graph-4, …); choose one "
        f"by name or position with instance=..., or take all with read_all"
    )


@pytest.mark.parametrize(
    ("instance", "cost"),
    [("graph-3", 3), (3, 3), ("3", 3), (-1, 9), ("2", 9), (2, 2), (np.int64(4), 4)],
)
def test_choice(packed: Path, instance: str | int, cost: float) -> None:
    assert mc.read(packed, instance=instance).costs.tolist() == [cost]


@pytest.mark.parametrize("instance", ["graph-99", 10, -11, "10"])
def test_unknown_choice(packed: Path, instance: str | int) -> None:
    with pytest.raises(
        FormatError, match=f"contains no problem {instance!r}, but 10: graph-0, graph-1"
    ):
        mc.read(packed, instance=instance)


def test_choice_in_a_file_of_one(tmp_path: Path) -> None:
    path = tmp_path / "some.name.csv.gz"
    mc.write(PROBLEM, path)
    assert list(mc.read_all(path)) == ["some.name"]
    assert mc.read(path, instance=0) == mc.read(path, instance="some.name") == PROBLEM
    with pytest.raises(FormatError, match=r"contains no problem 1, but 1: some\.name"):
        mc.read(path, instance=1)


def test_format_by_name_wins_over_content_and_ending(tmp_path: Path) -> None:
    path = tmp_path / "problem.npz"
    mc.write(PROBLEM, path, format="lpmp")
    assert path.read_text().startswith("MULTICUT\n")
    assert mc.read(path) == PROBLEM
    with pytest.raises(FormatError, match="not a readable npz archive"):
        mc.read(path, format="npz")


def test_unknown_format(tmp_path: Path) -> None:
    path = tmp_path / "problem.txt"
    with pytest.raises(ValueError, match="unknown format 'lpmpp'; did you mean 'lpmp'"):
        mc.write(PROBLEM, path, format="lpmpp")
    mc.write(PROBLEM, path)
    with pytest.raises(ValueError, match=r"unknown format 'zip'; .*choose from: npz, opengm"):
        mc.read(path, format="zip")


def test_unknown_ending(tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match=r"the ending is not that of a format; end the name in one of \.npz"
    ):
        mc.write(PROBLEM, tmp_path / "problem.xyz.gz")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere\.txt: no such file"):
        mc.read(tmp_path / "nowhere.txt")
    with pytest.raises(FileNotFoundError, match=r"no file matches '\*' and ends in one of"):
        mc.read(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*; create it first"):
        mc.write(PROBLEM, tmp_path / "nowhere" / "problem.txt")
    with pytest.raises(IsADirectoryError, match="is a folder; name a file in it"):
        mc.write(PROBLEM, tmp_path, format="lpmp")


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "problem.gr"
    path.write_text("old")
    with pytest.raises(ValueError, match="complete graphs only"):
        mc.write(PROBLEM, path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt", reason="Windows asks for rights to make links")
def test_write_through_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    mc.write(PROBLEM, link)
    assert link.is_symlink()
    assert mc.read(target) == PROBLEM


def test_new_files_get_the_usual_rights(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    mc.write(PROBLEM, tmp_path / "problem.txt")
    assert (tmp_path / "problem.txt").stat().st_mode == (tmp_path / "usual").stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="Windows has no named pipes in folders")
def test_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = subprocess.Popen(["/bin/sh", "-c", f"printf '0 1 2\\n' > '{path}'"])
    try:
        assert mc.read(path) == mc.Problem([[0, 1]], [2])
    finally:
        writer.wait(timeout=10)


def test_not_a_problem(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="got list; make one of edges and costs"):
        mc.write([[0, 1]], tmp_path / "problem.txt")  # type: ignore[arg-type]


def test_one_problem_per_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="format 'lpmp' stores one problem per file, got 2"):
        write_all([PROBLEM, PROBLEM], tmp_path / "problem.txt")


def test_more_nodes_than_reading_would_believe(tmp_path: Path) -> None:
    problem = mc.Problem([], [], num_nodes=10**6 + 1)
    with pytest.raises(ValueError, match="so a reader would consider the file damaged"):
        mc.write(problem, tmp_path / "problem.txt")


def test_error_can_be_pickled() -> None:
    import pickle

    error = FormatError(Path("a.txt"), "is odd", 3)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.path, copy.line) == ("a.txt:3: is odd", Path("a.txt"), 3)


def test_import_stays_light() -> None:
    code = "import sys, multicut; sys.exit('h5py' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_streams() -> None:
    buffer = io.BytesIO()
    mc.write(PROBLEM, buffer, format="npz")
    assert mc.read(io.BytesIO(buffer.getvalue())) == PROBLEM
    with pytest.raises(ValueError, match="the format of a stream cannot be told from a name"):
        mc.write(PROBLEM, buffer)
    with pytest.raises(FormatError, match=r"^<stream>:1: a node id must be"):
        mc.read(io.BytesIO(b"0 x 1"))


def test_opened_file_knows_its_format(packed: Path) -> None:
    opened = mc.io.open_file(packed)
    assert opened.format.name == "npz"
    assert len(opened) == 10
    assert opened.choose(3) == "graph-3"
    assert opened["graph-3"] == mc.read(packed, instance=3)


def test_few_bytes_do_not_take_much_memory(tmp_path: Path) -> None:
    path = tmp_path / "problem.txt"
    path.write_text("MULTICUT\n0 67000000 1")
    with pytest.raises(FormatError, match="states 67000001 nodes but only 1 edges"):
        mc.read(path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has other rights")
def test_rights_of_a_replaced_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "problem.txt"
    path.touch()
    path.chmod(0o600)
    mc.write(PROBLEM, path)
    assert path.stat().st_mode & 0o777 == 0o600
