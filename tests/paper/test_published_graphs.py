"""Folders with the published graphs, imitated by small files."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

import multicut as mc
from multicut.benchmark.cache import Cache
from paper.published_graphs import MEASURED, check_measured, find_published, fingerprint
from tests.paper.imitations import problem, write_published


@pytest.mark.parametrize(
    ("corpus", "parts"),
    [
        ("bsds300", {"train": 70, "valid": 20, "test": 10}),
        ("knott", {"train": 18, "valid": 6}),
        ("cremi", {"train": 2, "valid": 1}),
    ],
)
def test_complete_corpora_are_read_and_divided(tmp_path, corpus, parts):
    files = write_published(tmp_path, corpus)
    published = find_published(corpus, tmp_path)
    assert list(published.files) == files
    graphs = published.read()
    assert [graph.costs[0] for graph in graphs] == [1.0 + seed for seed in range(len(files))]
    assert {part: len(published.read(part)) for part in parts} == parts


def test_without_a_folder_there_are_no_published_graphs(tmp_path):
    assert [find_published(name, tmp_path) for name in ("bsds300", "knott", "cremi")] == [None] * 3


@pytest.mark.parametrize(
    ("corpus", "kept", "message"),
    [
        ("bsds300", 3, "BSDS300 has 100 graphs, got 3 in .*image-seg; unpack all of its"),
        ("knott", 8, "Knott has 24 graphs, got 8 in .*knott-3d-150; unpack all of its"),
        ("knott", 23, "Knott has 24 graphs, got 23 in .*-150, .*-300, .*-450; "),
        ("cremi", 1, "CREMI has 3 graphs, got 1 in .*cremi; "),
    ],
)
def test_a_part_of_a_corpus_is_refused(tmp_path, corpus, kept, message):
    for file in write_published(tmp_path, corpus)[kept:]:
        file.unlink()
    for folder in tmp_path.iterdir():
        if not any(folder.iterdir()):
            folder.rmdir()
    with pytest.raises(ValueError, match=message) as raised:
        find_published(corpus, tmp_path)
    assert len(str(raised.value).splitlines()) == 1


def test_more_graphs_than_were_published_are_refused(tmp_path):
    write_published(tmp_path, "cremi")
    mc.write(problem(9), tmp_path / "cremi" / "padded.h5", format="opengm")
    with pytest.raises(ValueError, match="CREMI has 3 graphs, got 4"):
        find_published("cremi", tmp_path)


def test_notes_beside_hdf5_files_are_not_read(tmp_path):
    files = write_published(tmp_path, "bsds300")
    (tmp_path / "image-seg" / "readme.txt").write_text("Models of the OpenGM benchmark.\n")
    published = find_published("bsds300", tmp_path)
    assert list(published.files) == files
    assert len(published.read()) == 100


def test_problems_may_be_texts(tmp_path):
    (tmp_path / "cremi").mkdir()
    for seed in range(3):
        mc.write(problem(seed), tmp_path / "cremi" / f"{seed}.txt")
    assert len(find_published("cremi", tmp_path).read("train")) == 2
    (tmp_path / "cremi" / "readme.txt").write_text("Models of three volumes.\n")
    with pytest.raises(
        ValueError, match=r"CREMI has 3 graphs, got 4 in .*problems and nothing else"
    ):
        find_published("cremi", tmp_path)


@pytest.mark.parametrize("ending", ["h5", "hdf"])
def test_raw_volumes_are_no_problems(tmp_path, ending):
    (tmp_path / "cremi").mkdir()
    for name in "ABC":
        with h5py.File(tmp_path / "cremi" / f"sample_{name}_20160501.{ending}", "w") as file:
            file["volumes/raw"] = np.zeros((2, 3, 4), dtype=np.uint8)
    message = "CREMI needs 3 multicut problems and nothing else: .*cremi"
    with pytest.raises(ValueError, match=message) as raised:
        find_published("cremi", tmp_path)
    assert len(str(raised.value).splitlines()) == 1


def test_a_fingerprint_tells_names_and_content(tmp_path):
    def found(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return fingerprint([tmp_path / name])

    prints = [found("a.txt", "0 1 5"), found("a.txt", "0 1 6"), found("b.txt", "0 1 5")]
    assert len(set(prints)) == 3
    assert found("a.txt", "0 1 5") == prints[0]


def test_a_cache_is_of_the_same_files(tmp_path):
    data, cache = tmp_path / "data", tmp_path / "cache"
    write_published(data, "cremi")
    check_measured(data, cache)
    noted = Cache(cache / MEASURED).cells
    assert set(noted) == {"CREMI"}
    check_measured(data, cache)
    assert Cache(cache / MEASURED).cells == noted
    # As many graphs, and the same names, but other ones.
    write_published(data, "cremi", seed=1)
    with pytest.raises(ValueError, match=r"CREMI in .* is not what .* was measured on; restore"):
        check_measured(data, cache)
    assert Cache(cache / MEASURED).cells == noted
    check_measured(data, tmp_path / "another")


def test_stand_ins_leave_no_note(tmp_path: Path):
    check_measured(tmp_path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
