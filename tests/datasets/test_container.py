from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import multicut as mc
from multicut.datasets import Dataset, generate
from multicut.io import FormatError


@pytest.fixture(scope="module")
def dataset():
    return generate("irismp", 7, min_nodes=4, max_nodes=6).label("ilp", num_workers=1)


@pytest.fixture
def folder(dataset, tmp_path):
    dataset.save(tmp_path / "set")
    return tmp_path / "set"


def test_everything_survives(dataset, folder):
    again = Dataset.load(folder, verify=True)
    assert again.names == dataset.names
    assert again.info == dataset.info
    assert again.name == dataset.name
    for name, array in dataset.arrays().by_name().items():
        found = again.arrays().by_name()[name]
        assert found.dtype == array.dtype
        assert np.array_equal(found, array, equal_nan=array.dtype.kind == "f")


def test_arrays_stay_on_disk(folder):
    edges = Dataset.load(folder).arrays().edges
    assert isinstance(edges.base, np.memmap)
    assert not edges.flags.writeable


def test_names_and_missing_parts_survive(tmp_path):
    problems = {"Größe": mc.Problem([[0, 1]], [-1.0]), "": mc.Problem([], [], num_nodes=3)}
    Dataset.from_problems(problems, name="odd").save(tmp_path / "odd")
    again = Dataset.load(tmp_path / "odd", verify=True)
    assert again.names == ["Größe", ""]
    assert again[0] == problems["Größe"]
    assert again[1] == problems[""]
    assert again[0].cut is None
    assert again.arrays().positions is None


def test_nothing_survives_too(tmp_path):
    Dataset.from_problems([]).save(tmp_path / "none")
    assert len(Dataset.load(tmp_path / "none", verify=True)) == 0


def test_parts_of_a_dataset_are_datasets(dataset, tmp_path):
    dataset[2:5].save(tmp_path / "part")
    assert Dataset.load(tmp_path / "part").names == dataset.names[2:5]


def test_equal_datasets_give_equal_bytes(folder, tmp_path):
    Dataset.load(folder).save(tmp_path / "copy")
    for file in folder.iterdir():
        assert (tmp_path / "copy" / file.name).read_bytes() == file.read_bytes()


def test_nothing_is_overwritten_unasked(dataset, folder):
    with pytest.raises(FileExistsError, match="exists already; pass overwrite=True"):
        dataset.save(folder)
    dataset[:2].save(folder, overwrite=True)
    assert len(Dataset.load(folder)) == 2
    plain = folder.parent / "plain"
    plain.mkdir()
    with pytest.raises(FileExistsError, match="exists already; choose another name"):
        dataset.save(plain, overwrite=True)
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        dataset.save(folder / "deep" / "down")
    assert sorted(f.name for f in folder.parent.iterdir()) == ["plain", "set"]


def change_header(folder, **values):
    header = json.loads((folder / "header.json").read_text())
    (folder / "header.json").write_text(json.dumps(header | values))


def test_damage_is_named(folder):
    with pytest.raises(FileNotFoundError, match=r"no dataset, it has no header\.json"):
        Dataset.load(folder.parent)
    with pytest.raises(FileNotFoundError, match="no such folder"):
        Dataset.load(folder / "nowhere")

    def damaged(name, content):
        copy = folder.parent / "damaged"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(folder, copy)
        (copy / name).write_bytes(content)
        return copy

    costs = (folder / "costs.npy").read_bytes()
    with pytest.raises(FormatError, match=r"costs.npy: cannot be read"):
        Dataset.load(damaged("costs.npy", costs[:200]))
    flipped = costs[:-1] + bytes([costs[-1] ^ 1])
    Dataset.load(damaged("costs.npy", flipped))
    with pytest.raises(FormatError, match=r"costs.npy: does not match its checksum"):
        Dataset.load(damaged("costs.npy", flipped), verify=True)
    with pytest.raises(FormatError, match=r"header.json: not a readable header"):
        Dataset.load(damaged("header.json", b"{"))
    with pytest.raises(FormatError, match=r"not the header of a dataset"):
        Dataset.load(damaged("header.json", b"[]"))
    with pytest.raises(FormatError, match=r"must hold <i4 of shape"):
        Dataset.load(damaged("edges.npy", costs))
    copy = damaged("lower_bound.npy", b"")
    (copy / "lower_bound.npy").unlink()
    with pytest.raises(FormatError, match=r"lower_bound.npy: is missing"):
        Dataset.load(copy)
    change_header(folder, version=2)
    with pytest.raises(FormatError, match="has version 2, this package reads 1; update it"):
        Dataset.load(folder)


def test_offsets_must_fit(folder):
    offsets = np.load(folder / "edge_offsets.npy")
    offsets[2] = 10**6
    np.save(folder / "edge_offsets.npy", offsets)
    with pytest.raises(FormatError, match=r"edge_offsets\.npy: must ascend from 0 to"):
        Dataset.load(folder)


def test_graphs_that_are_not_simple_are_refused(folder):
    edges = np.load(folder / "edges.npy")
    edges[1] = edges[0]
    np.save(folder / "edges.npy", edges)
    with pytest.raises(ValueError, match="has self-loops or duplicate edges"):
        Dataset.load(folder)[0]


def test_pickles_are_never_loaded(folder):
    np.save(folder / "costs.npy", np.array([object()]), allow_pickle=True)
    with pytest.raises(FormatError, match=r"costs.npy: cannot be read"):
        Dataset.load(folder)
