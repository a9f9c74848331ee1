"""The plugin for napari: its manifest, and what its widget does, without napari."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import multicut as mc
from multicut.napari.session import JOIN, SEPARATE, Session

yaml = pytest.importorskip("yaml")
pytest.importorskip("skimage")

ROOT = Path(__file__).parent.parent.parent
MANIFEST = ROOT / "src" / "multicut" / "napari" / "napari.yaml"
# Three stripes in regions of 10 by 10 pixels.
IMAGE = np.repeat(np.array([40, 130, 220], np.uint8), 20)[None].repeat(30, axis=0)
REGIONS = (np.arange(30) // 10)[:, None] * 6 + (np.arange(60) // 10)[None]


@pytest.fixture
def session():
    proof = mc.vision.ImageProofreader(mc.vision.segment(IMAGE, REGIONS))
    assert proof.num_clusters == 3
    return Session(proof, SimpleNamespace(data=proof.pixel_labels + 1))


def test_two_clicks_join_two_segments(session):
    assert "Now click" in session.click((5, 5), JOIN)
    assert session.click((5.4, 30), JOIN) == "Joined; 2 segments."
    shown = session.layer.data
    assert shown.min() >= 1  # 0 is transparent in napari
    assert shown[0, 0] == shown[0, 30] != shown[0, 59]
    assert session.undo() == "Undone; 3 segments."
    assert np.array_equal(session.layer.data, session.proof.pixel_labels + 1)
    assert session.redo() == "Made again; 2 segments."


def test_two_clicks_separate_two_parts(session):
    session.click((2, 2), SEPARATE)
    session.click((28, 2), SEPARATE)
    assert session.layer.data[2, 2] != session.layer.data[28, 2]


def test_bad_clicks_change_nothing(session):
    for position, line in (((99, 0), "must lie in the image"), ((0, 0, 0), "2 numbers")):
        with pytest.raises(ValueError, match=line):
            session.click(position, JOIN)
    with pytest.raises(ValueError, match="no correction to undo"):
        session.undo()
    session.click((5, 5), JOIN)
    with pytest.raises(ValueError, match="same segment"):
        session.click((15, 15), JOIN)
    with pytest.raises(ValueError, match="two segments already"):
        session.click((5, 30), SEPARATE)
    assert session.selected == 0
    assert session.proof.history == ()
    session.drop_selection()
    assert session.selected is None


def test_suggestions_are_answered(session):
    with pytest.raises(ValueError, match="no suggestion"):
        session.answer(True)
    seen = set()
    for _ in range(3):
        session.next_suggestion()
        seen.add((session.suggestion.u, session.suggestion.v))
    assert len(seen) == 3
    place = session.place_of_suggestion()
    assert all(0 <= at < length for at, length in zip(place, IMAGE.shape, strict=True))
    before = session.layer.data.copy()
    session.answer(False)  # it stays as it is, and is not suggested again
    assert np.array_equal(session.layer.data, before)
    assert len(session.proof.history) == 1
    session.next_suggestion()
    session.answer(True)
    assert not np.array_equal(session.layer.data, before)


def test_the_manifest_names_what_there_is():
    manifest = yaml.safe_load(MANIFEST.read_text())
    (command,) = manifest["contributions"]["commands"]
    (widget,) = manifest["contributions"]["widgets"]
    assert widget["command"] == command["id"] == f"{manifest['name']}.proofread"
    module, name = command["python_name"].split(":")
    path = ROOT / "src" / Path(*module.split(".")).with_suffix(".py")
    classes = [node.name for node in ast.parse(path.read_text()).body if hasattr(node, "name")]
    assert name in classes
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    entry = project["entry-points"]["napari.manifest"]["multicut"]
    package, file = entry.split(":")
    assert ROOT / "src" / Path(*package.split(".")) / file == MANIFEST


@pytest.mark.filterwarnings("ignore")
def test_npe2_accepts_the_manifest():
    npe2 = pytest.importorskip("npe2", reason="needs npe2, of the extra multicut[napari]")
    manifest = npe2.PluginManifest.from_file(MANIFEST)
    manifest.validate_imports()
    assert manifest.name == "multicut"
