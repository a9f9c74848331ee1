"""The notebooks run, print and draw what they show, and leave nothing behind."""

from __future__ import annotations

import base64
import io
import re
from importlib import util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.docs.snippets import ROOT
from tests.docs.tools import load_tool

nbformat = pytest.importorskip("nbformat", reason="needs nbformat, of the extra multicut[dev]")
pytest.importorskip("nbclient", reason="needs nbclient, of the extra multicut[dev]")
pytest.importorskip("ipykernel", reason="needs ipykernel, of the extra multicut[dev]")

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


def load_runner():
    spec = util.spec_from_file_location("notebooks_tool", ROOT / "tools" / "notebooks.py")
    assert spec is not None
    assert spec.loader is not None
    module = util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def shown(cell: Any) -> list[tuple[str, str]]:
    """What a cell prints or draws: kinds and texts."""
    outputs = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "image/png" in data:
            outputs.append(("picture", data["image/png"]))
        else:
            outputs.append((output.get("name", "value"), output.get("text") or data["text/plain"]))
    return outputs


def size_of(picture: str) -> tuple[int, ...]:
    from PIL import Image

    with Image.open(io.BytesIO(base64.b64decode(picture))) as image:
        assert len(set(image.convert("L").tobytes())) > 3, "the picture is empty"
        return image.size


def compare(now: Any, before: Any) -> None:
    """Fail unless a cell shows what is said in the notebook."""
    found, claimed = shown(now), shown(before)
    assert [kind for kind, _ in found] == [kind for kind, _ in claimed], before.source
    for (kind, text), (_, expected) in zip(found, claimed, strict=True):
        if kind == "picture":
            assert np.allclose(size_of(text), size_of(expected), rtol=0.15), before.source
        elif "approximate" in before.metadata.get("tags", []):
            assert NUMBER.sub("", text) == NUMBER.sub("", expected)
            numbers = [[float(n) for n in NUMBER.findall(t)] for t in (text, expected)]
            assert np.allclose(*numbers, rtol=0.05), before.source
        else:
            assert text == expected, before.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_show_what_they_do(path, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    before = nbformat.read(path, as_version=4)
    now = load_runner().run_notebook(path)
    for new, old in zip(now.cells, before.cells, strict=True):
        compare(new, old)
    assert list(tmp_path.iterdir()) == []


def test_there_are_three():
    names = [path.stem for path in NOTEBOOKS]
    assert names == ["first-steps", "image-to-segments", "train-a-network"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_small_and_name_no_machine(path):
    assert path.stat().st_size < 400_000
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        for kind, text in shown(cell):
            assert kind != "stderr", text
            assert kind == "picture" or not re.search(r"/(home|root|work|tmp|usr)/", text)


def test_a_claim_that_no_longer_holds_is_found():
    notebook = nbformat.read(NOTEBOOKS[0], as_version=4)
    cell = next(cell for cell in notebook.cells if shown(cell))
    wrong = nbformat.from_dict(cell.copy())
    wrong.outputs = [nbformat.v4.new_output("stream", text="something else")]
    with pytest.raises(AssertionError):
        compare(wrong, cell)


def test_pages_hold_text_code_outputs_and_pictures():
    pages = load_tool("notebooks").notebook_pages(ROOT / "docs" / "notebooks")
    page = pages["notebooks/first-steps.md"]
    assert page.startswith("# First steps\n")
    assert "```python\nedges = [[0, 1]" in page
    assert "```text\narray([0, 1, 1, 1])\n```" in page
    assert "(first-steps-1.png)" in page
    assert pages["notebooks/first-steps-1.png"].startswith(b"\x89PNG")
    assert {Path(name).suffix for name in pages} == {".md", ".png"}
