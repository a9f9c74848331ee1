from __future__ import annotations

import gzip

import numpy as np
import pytest

import multicut as mc
from multicut.datasets import list_corpora, open_dataset, read_corpus, read_file, read_folder
from multicut.io import FormatError, write, write_all


def line(cost: float) -> mc.Problem:
    return mc.Problem([[0, 1], [1, 2]], [cost, -1.0])


@pytest.fixture
def folder(tmp_path):
    """Files of many formats, and one that contains no problem."""
    root = tmp_path / "mixed"
    root.mkdir()
    write(line(1), root / "graph2.txt")
    write(line(2), root / "graph10.csv")
    write_all({"a": line(3), "b": line(4)}, root / "graph11.npz")
    (root / "graph12.txt.gz").write_bytes(gzip.compress(b"0 1 5\n1 2 -1\n"))
    write(line(6), root / "graph13.h5", format="andres")
    (root / "README.md").write_text("not a problem")
    return root


def test_folders_are_read_in_the_order_of_names(folder):
    dataset = read_folder(folder)
    assert dataset.names == [
        "graph2.txt",
        "graph10.csv",
        "graph11.npz/a",
        "graph11.npz/b",
        "graph12.txt.gz",
        "graph13.h5",
    ]
    assert [problem.costs[0] for problem in dataset] == [1, 2, 3, 4, 5, 6]
    assert read_folder(folder, "*.npz").names == ["graph11.npz/a", "graph11.npz/b"]


def test_odd_folders_are_named(folder, tmp_path):
    with pytest.raises(FileNotFoundError, match="no such folder"):
        read_folder(tmp_path / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"no file matches '\*\.xyz'"):
        read_folder(folder, "*.xyz")
    (folder / "graph1.txt").write_text("what is this\n")
    with pytest.raises(FormatError, match=r"graph1.txt"):
        read_folder(folder)


def test_optima_of_packed_files_count_as_proven(tmp_path):
    path = tmp_path / "packed.npz"
    packed = {
        "name": np.array(["triangle", "pair"]),
        "n_nodes": np.array([3, 2]),
        "edge_ptr": np.array([0, 3, 4]),
        "u": np.array([0, 1, 0, 0]),
        "v": np.array([1, 2, 2, 1]),
        "cost": np.array([1.0, 2.0, -4.0, -1.5]),
    }
    np.savez(path, **packed, optimum=np.array([-3.0, np.nan]))
    dataset = read_file(path)
    assert dataset.optimal.tolist() == [True, False]
    assert dataset.labelled.tolist() == [True, False]
    assert dataset[0].objective == -3
    assert dataset[0].cut is None
    assert dataset[1].objective is None
    np.savez(path, **packed)
    assert not read_file(path).labelled.any()
    np.savez(path, **packed, optimum=np.array([-3.0]))
    with pytest.raises(FormatError, match="array 'optimum' must contain 2 numbers"):
        read_file(path)


@pytest.mark.parametrize(
    ("name", "count", "sizes"),
    [
        ("bsds300", 100, {"train": 70, "valid": 20, "test": 10}),
        ("cremi", 3, {"train": 2, "valid": 1}),
        ("knott", 24, {"train": 18, "valid": 6}),
    ],
)
def test_splits_are_those_of_the_paper(tmp_path, name, count, sizes):
    for i in range(count):
        (tmp_path / f"instance-{i}.txt").write_text(f"0 1 {i + 1}\n1 2 -1\n")
    whole = read_corpus(name, tmp_path)
    assert len(whole) == count
    parts = {split: read_corpus(name, tmp_path, split) for split in sizes}
    assert {split: len(part) for split, part in parts.items()} == sizes
    together = [graph for part in parts.values() for graph in part.names]
    assert together == whole.names
    with pytest.raises(ValueError, match=f"{name} has the splits train, valid"):
        read_corpus(name, tmp_path, "eval")


def test_a_corpus_may_lie_in_several_folders(tmp_path):
    for folder in ("knott-3d-150", "knott-3d-300", "knott-3d-550", "image-seg"):
        (tmp_path / folder).mkdir()
        for i in range(2):
            write(line(i + 1), tmp_path / folder / f"gm-{i}.h5", format="opengm")
    assert read_corpus("knott", tmp_path).names == [
        "knott-3d-150/gm-0.h5",
        "knott-3d-150/gm-1.h5",
        "knott-3d-300/gm-0.h5",
        "knott-3d-300/gm-1.h5",
    ]
    assert len(read_corpus("bsds300", tmp_path)) == 2
    assert {record.name for record in list_corpora()} == {"bsds300", "cremi", "knott"}


def test_each_folder_is_divided_by_itself(tmp_path):
    for size in (150, 300, 450):
        (tmp_path / f"knott-3d-{size}").mkdir()
        for i in range(8):
            (tmp_path / f"knott-3d-{size}" / f"gm-{i}.txt").write_text("0 1 1\n")
    valid = read_corpus("knott", tmp_path, "valid")
    assert valid.names == [f"knott-3d-{n}/gm-{i}.txt" for n in (150, 300, 450) for i in (6, 7)]
    assert len(read_corpus("knott", tmp_path, "train")) == 18


def test_whatever_holds_problems_can_be_opened(folder, tmp_path):
    assert len(open_dataset(folder)) == 6
    assert len(open_dataset(folder / "graph11.npz")) == 2
    read_folder(folder).save(tmp_path / "set")
    assert len(open_dataset(tmp_path / "set")) == 6
    with pytest.raises(FileNotFoundError, match="neither a file, a folder nor a shipped set"):
        open_dataset(tmp_path / "nothing")
    with pytest.raises(ValueError, match="only shipped sets"):
        open_dataset(folder, "train")


def test_real_instances(shared_data):
    pieces = read_folder(shared_data / "opengm_subgraphs", "knott*_valid.npz")
    assert len(pieces) == 150
    assert (pieces.num_nodes == 50).all()
    berkeley = read_corpus("bsds300", shared_data / "bsds")
    assert len(berkeley) == 50
    assert len(read_corpus("bsds300", shared_data / "bsds", "train")) == 35
    microscopy = read_corpus("cremi", shared_data / "em")
    assert sorted(microscopy.num_nodes.tolist())[-1] >= 20_250
    for problem in pieces[::30]:
        if problem.optimal:
            assert mc.solve(problem, "ilp").objective == pytest.approx(problem.objective)


def test_order_is_certain_and_hidden_files_are_left_out(tmp_path):
    for name in ("g2.txt", "g02.txt", "g1².txt", "g1.txt"):
        write(line(1), tmp_path / name)
    (tmp_path / "._g1.txt").write_bytes(b"\x00\x05\x16\x07")
    assert read_folder(tmp_path).names == ["g1.txt", "g1².txt", "g02.txt", "g2.txt"]
