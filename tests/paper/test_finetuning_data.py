"""What benchmarks/finetuning_data.py makes, of small files."""

from __future__ import annotations

import pytest

import multicut as mc
from benchmarks import finetuning_data
from tests.paper.imitations import write_published, write_stand_ins

PARTS = ("train", "valid")


@pytest.fixture
def make(tmp_path, capsys):
    """Run the script; return its exit code, and its lines by dataset or its error."""

    def make():
        code = finetuning_data.main([str(tmp_path / "data"), "-o", str(tmp_path / "out")])
        captured = capsys.readouterr()
        return code, (captured.err if code else captured.out).splitlines()

    return make


def load(tmp_path, name, part):
    return mc.Dataset.load(tmp_path / "out" / name / part)


def test_datasets_say_whether_they_are_stand_ins(tmp_path, make):
    data = tmp_path / "data"
    write_stand_ins(data, "bsds300")
    write_published(data, "knott")
    write_stand_ins(data, "cremi")
    code, _ = make()
    assert code == 0
    found = {
        name: [load(tmp_path, name, part) for part in PARTS] for name in finetuning_data.TITLES
    }
    assert {name: [len(part) for part in parts] for name, parts in found.items()} == {
        "bsds300": [7, 2],
        "knott": [18, 6],
        "cremi": [10, 10],
    }
    for name, parts in found.items():
        assert [part.info["is_stand_in"] for part in parts] == [name != "knott"] * 2
        assert all(part.optimal.all() for part in parts)


def test_published_graphs_replace_stand_ins(tmp_path, make):
    data = tmp_path / "data"
    write_stand_ins(data, "cremi")
    make()
    before = load(tmp_path, "cremi", "train")
    write_published(data, "cremi")
    _, lines = make()
    train = load(tmp_path, "cremi", "train")
    assert (len(before), len(train)) == (10, 2)
    assert not train.info["is_stand_in"]
    assert train[0].costs[0] == 1
    folder = tmp_path / "out" / "cremi" / "train"
    assert f"{folder}: made anew, it is from other files; train runs on it anew, too" in lines
    assert f"{folder}: 2 published graphs, 2 proven optimal" in lines


def test_a_dataset_that_does_not_name_its_files_is_made_anew(tmp_path, make):
    write_stand_ins(tmp_path / "data", "cremi")
    folder = tmp_path / "out" / "cremi" / "train"
    folder.parent.mkdir(parents=True)
    mc.datasets.generate("irismp", 1).save(folder)
    make()
    assert load(tmp_path, "cremi", "train").info["is_stand_in"]


def test_a_dataset_from_the_same_files_is_kept(tmp_path, make, monkeypatch):
    write_published(tmp_path / "data", "cremi")
    make()
    monkeypatch.setattr(mc.Dataset, "label", None)  # nothing is solved again
    code, lines = make()
    assert code == 0
    assert f"{tmp_path / 'out' / 'cremi' / 'train'}: kept, it is from these files" in lines


def test_a_corpus_without_files_is_skipped(tmp_path, make):
    data = tmp_path / "data"
    write_stand_ins(data, "knott")
    (data / "opengm_subgraphs" / "knott-3d-300_valid.npz").unlink()
    code, lines = make()
    assert code == 0
    folder = tmp_path / "out" / "knott"
    assert f"{folder / 'valid'}: skipped, {data} has neither Knott nor its stand-in" in lines
    assert (folder / "train").is_dir()
    assert not (folder / "valid").exists()
    assert not (tmp_path / "out" / "bsds300").exists()


def test_a_part_of_a_corpus_is_an_error(tmp_path, make):
    write_published(tmp_path / "data", "bsds300")[0].unlink()
    code, lines = make()
    assert code == 2
    (line,) = lines
    assert line.startswith("error: BSDS300 has 100 graphs, got 99 in ")


def test_a_folder_that_is_not_there_is_an_error(make):
    code, (line,) = make()
    assert code == 2
    assert line.endswith("data': no such folder")


def test_an_output_that_cannot_be_written_is_an_error(tmp_path, capsys):
    write_published(tmp_path / "data", "cremi")
    (tmp_path / "file").write_text("")
    output = tmp_path / "file" / "out"
    assert finetuning_data.main([str(tmp_path / "data"), "-o", str(output)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ")
    assert str(output) in line
