"""Untrusted files: none leads a reader to another file, none fills the memory."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import multicut as mc
from multicut.io import FormatError, ReadLimits, list_formats, open_file

TRIANGLE = mc.Problem([[0, 1], [0, 2], [1, 2]], [1, -1, 1])


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Another file with a problem in it, which no file may refer to."""
    path = tmp_path / "secret.h5"
    mc.write(TRIANGLE, path, format="andres")
    return path


def write_graph(file: Any, values: Any) -> None:
    file["graph/edges"] = TRIANGLE.edges
    if values is not None:
        file["edge-values"] = values


@pytest.mark.parametrize("place", ["edge-values", "unused/link"])
def test_external_links_are_refused(tmp_path: Path, secret: Path, place: str) -> None:
    path = tmp_path / "links.h5"
    with h5py.File(path, "w") as file:
        write_graph(file, TRIANGLE.costs if place != "edge-values" else None)
        file[place] = h5py.ExternalLink(str(secret), "/edge-values")
    with pytest.raises(FormatError, match=rf"'{place}' is a link to another file"):
        mc.read(path)


def test_links_through_external_groups_are_refused(tmp_path: Path, secret: Path) -> None:
    path = tmp_path / "links.h5"
    with h5py.File(path, "w") as file:
        write_graph(file, h5py.SoftLink("/outside/edge-values"))
        file["outside"] = h5py.ExternalLink(str(secret), "/")
    with pytest.raises(FormatError, match="'outside' is a link to another file"):
        mc.read(path)


def test_external_storage_is_refused(tmp_path: Path) -> None:
    raw = tmp_path / "raw"
    raw.write_bytes(np.ones(3).tobytes())
    path = tmp_path / "storage.h5"
    with h5py.File(path, "w") as file:
        write_graph(file, None)
        file.create_dataset("edge-values", (3,), "f8", external=[(str(raw), 0, 24)])
    with pytest.raises(FormatError, match="'edge-values' keeps its numbers in another file"):
        mc.read(path)
    with pytest.raises(FormatError, match="'edge-values' keeps its numbers in another file"):
        mc.read(io.BytesIO(path.read_bytes()))


def test_virtual_datasets_are_refused(tmp_path: Path, secret: Path) -> None:
    path = tmp_path / "virtual.h5"
    layout = h5py.VirtualLayout(shape=(3,), dtype="f8")
    layout[:] = h5py.VirtualSource(str(secret), "edge-values", shape=(3,))
    with h5py.File(path, "w") as file:
        write_graph(file, None)
        file.create_virtual_dataset("edge-values", layout)
    with pytest.raises(FormatError, match="'edge-values' keeps its numbers in another file"):
        mc.read(path)


def test_links_within_a_file_are_followed(tmp_path: Path) -> None:
    path = tmp_path / "soft.h5"
    with h5py.File(path, "w") as file:
        write_graph(file, h5py.SoftLink("/elsewhere"))
        file["elsewhere"] = TRIANGLE.costs
        file["around"] = file["/"]  # a cycle of hard links
    assert mc.read(path) == TRIANGLE


@pytest.mark.parametrize("record", list_formats(), ids=lambda record: record.name)
def test_number_of_edges_is_limited(tmp_path: Path, record: Any) -> None:
    path = tmp_path / f"problem{record.suffixes[0]}"
    mc.write(TRIANGLE, path, format=record.name)
    assert next(iter(open_file(path, limits=ReadLimits(max_edges=3)).values())) == TRIANGLE
    with pytest.raises(FormatError, match="3 edges are more than the limit of 2"):
        dict(open_file(path, limits=ReadLimits(max_edges=2)))


def test_a_few_bytes_state_no_huge_graph() -> None:
    complete = b"p cep 14000 0\n"
    limits = ReadLimits(max_edges=1000, max_nodes=1000)
    with pytest.raises(FormatError, match="97,993,000 edges are more than the limit of 1,000"):
        dict(open_file(io.BytesIO(complete), limits=limits))
    with pytest.raises(FormatError, match="1,000,000 nodes are more than the limit of 1,000"):
        dict(open_file(io.BytesIO(b"# multicut num_nodes 1000000\n0 1 1\n"), limits=limits))


def test_compressed_data_is_limited(tmp_path: Path) -> None:
    limits = ReadLimits(max_bytes=1_000_000)
    text = b"0 1 1\n" * 1_000_000
    with pytest.raises(FormatError, match="1,000,001 bytes are more than the limit of 1,000,000"):
        open_file(io.BytesIO(gzip.compress(text)), limits=limits)
    assert len(open_file(io.BytesIO(gzip.compress(text[:600])), limits=limits)) == 1

    archive = io.BytesIO()
    np.savez_compressed(archive, edges=np.zeros((200_000, 2), np.int64), costs=np.zeros(200_000))
    archive.seek(0)
    with pytest.raises(FormatError, match=r"bytes are more than the limit of 1,000,000"):
        open_file(archive, limits=limits)

    path = tmp_path / "bomb.h5"
    with h5py.File(path, "w") as file:
        file["graph/edges"] = np.zeros((3, 2), np.int64)
        file.create_dataset(
            "edge-values", (1_000_000,), "f8", compression="gzip", chunks=(100_000,)
        )
    assert path.stat().st_size < 100_000
    with pytest.raises(FormatError, match="8,000,000 bytes are more than the limit of 1,000,000"):
        dict(open_file(path, limits=limits))


def test_limits_are_checked() -> None:
    with pytest.raises(ValueError, match="max_edges must be a positive integer or None, got 0"):
        ReadLimits(max_edges=0)


def test_function_types_are_listed_once(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    with h5py.File(path, "w") as file:
        file["gm/header"] = np.array([2, 0, 2, 0, 2, 16006, 1, 16006, 1], np.uint64)
        file["gm/numbers-of-states"] = np.array([2, 2], np.uint64)
    with pytest.raises(FormatError, match="lists a function type twice"):
        mc.read(path)
