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
    with pytest.raises(FormatError, match=r"must contain <i4 of shape"):
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


def change_array(folder, name, **values):
    arrays = json.loads((folder / "header.json").read_text())["arrays"]
    change_header(folder, arrays=arrays | {name: arrays.get(name, {}) | values})


def test_headers_must_say_enough(folder):
    arrays = json.loads((folder / "header.json").read_text())["arrays"]
    for entry in (None, 3, {}, {"shape": [1]}, {"shape": 1, "sha256": ""}):
        change_header(folder, arrays=arrays | {"costs": entry})
        with pytest.raises(FormatError, match="must tell shape and sha256 of array 'costs'"):
            Dataset.load(folder)
    change_header(folder, arrays=arrays, info=[])
    with pytest.raises(FormatError, match="its entry 'info' must be an object"):
        Dataset.load(folder)


@pytest.mark.parametrize("name", ["costs", "node_offsets", "objective"])
def test_arrays_must_have_the_right_axes(folder, name):
    table = np.load(folder / f"{name}.npy")[:, None]
    np.save(folder / f"{name}.npy", table)
    change_array(folder, name, shape=list(table.shape))
    with pytest.raises(FormatError, match=rf"{name}\.npy: must have 1 axis, got 2"):
        Dataset.load(folder)


def test_archives_are_no_arrays(folder):
    with (folder / "costs.npy").open("wb") as file:
        np.savez(file, costs=np.zeros(3))
    with pytest.raises(FormatError, match=r"costs\.npy: cannot be read"):
        Dataset.load(folder)


def test_names_must_be_text_and_fit(tmp_path):
    problem = mc.Problem([[0, 1]], [-1.0])
    folder = tmp_path / "named"
    Dataset.from_problems({"ü": problem, "b": problem}).save(folder)
    good = np.load(folder / "name_offsets.npy")
    np.save(folder / "name_offsets.npy", good - [0, 1, 0])
    with pytest.raises(FormatError, match=r"name_bytes\.npy: is not UTF-8"):
        Dataset.load(folder)
    np.save(folder / "name_offsets.npy", good[[0, 2]])
    change_array(folder, "name_offsets", shape=[2])
    with pytest.raises(FormatError, match=r"name_offsets\.npy: must contain 3 numbers"):
        Dataset.load(folder)


def test_any_damaged_byte_is_a_format_error(folder):
    """Numpy raises errors of many kinds where the head of a file is damaged."""
    whole, complaints = (folder / "costs.npy").read_bytes(), []
    for place in range(128):
        for value in (0, ord("("), ord("'"), 255):
            damaged = bytearray(whole)
            damaged[place] = value
            (folder / "costs.npy").write_bytes(damaged)
            try:
                Dataset.load(folder)
            except FormatError as error:
                complaints.append(str(error))
    assert len(complaints) > 100
    assert all("costs.npy" in complaint for complaint in complaints)


def test_a_dataset_that_cannot_be_replaced_stays(dataset, folder, monkeypatch):
    rename = type(folder).rename

    def fail(path, target):
        if path.suffix == ".part":
            raise OSError("no space")
        return rename(path, target)

    monkeypatch.setattr(type(folder), "rename", fail)
    with pytest.raises(OSError, match="no space"):
        dataset[:2].save(folder, overwrite=True)
    assert len(Dataset.load(folder, verify=True)) == 7
    assert [f.name for f in folder.parent.iterdir()] == ["set"]


def test_a_mapped_dataset_can_take_its_own_place(folder):
    mapped = Dataset.load(folder)
    mapped[3:].save(folder, overwrite=True)
    assert Dataset.load(folder, verify=True).names == mapped.names[3:]
    assert mapped[0].num_nodes >= 4


@pytest.mark.parametrize("value", [float("nan"), {1, 2}])
def test_info_must_fit_into_json(dataset, tmp_path, value):
    odd = Dataset(dataset.arrays(), info={"note": value})
    with pytest.raises((TypeError, ValueError), match="info must be plain values that JSON can"):
        odd.save(tmp_path / "odd")
    assert list(tmp_path.iterdir()) == []
