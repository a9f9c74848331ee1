"""Zarr and N5: arrays in folders, chunk by chunk; tensorstore reads and writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut._target import open_folder, write_whole
from multicut.vision.files.record import ArrayFormat, choose_dataset

if TYPE_CHECKING:
    from numpy.typing import NDArray

_CHUNK = 64


def _tensorstore(path: Path) -> Any:
    needed("tensorstore", by=f"{path}: a zarr or N5 volume")
    import tensorstore

    return tensorstore


def driver_of(folder: Path) -> str | None:
    """Return the driver for the array in a folder, None if it is not an array."""
    if (folder / ".zarray").is_file():
        return "zarr"
    if (folder / "zarr.json").is_file():
        return "zarr3" if read_metadata(folder / "zarr.json").get("node_type") == "array" else None
    if (folder / "attributes.json").is_file():
        return "n5" if "dimensions" in read_metadata(folder / "attributes.json") else None
    return None


def read_metadata(path: Path) -> dict[str, Any]:
    """Return a document of JSON; empty if it is no mapping."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ValueError(f"{path}: cannot be read as JSON ({error})") from error
    return document if isinstance(document, dict) else {}


def arrays_below(folder: Path) -> list[str]:
    """List the arrays in a folder by their paths, without looking into their chunks."""
    if driver_of(folder) is not None:
        return ["."]
    found = []
    for child in sorted(folder.iterdir()):
        if child.is_dir() and not child.name.startswith("."):  # not what a killed process left
            found += [
                child.name if name == "." else f"{child.name}/{name}"
                for name in arrays_below(child)
            ]
    return found


def _read_chunked(path: Path, dataset: str | None) -> NDArray[Any]:
    if not path.is_dir():
        raise FileNotFoundError(f"{path}: no such folder")
    names = arrays_below(path)
    folder = path / choose_dataset(path, names, dataset)
    driver = driver_of(folder)
    tensorstore = _tensorstore(path)
    spec = {"driver": driver, "kvstore": {"driver": "file", "path": str(folder.resolve())}}
    try:
        array = tensorstore.open(spec, read=True).result().read().result()
    except (ValueError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{folder}: cannot be read ({reason})") from error
    # N5 writes axes the other way round: x first.
    return np.asarray(array).T if driver == "n5" else np.asarray(array)


def check_chunked_target(path: Path, dataset: str | None) -> Path:
    """Return the folder to write an array to; raise an error if other data would be lost.

    What is in that folder is deleted, so it must be new, empty, or the array to replace.
    """
    name = dataset or "labels"
    parts = name.strip("/").split("/")
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError(
            f"{path}: a dataset cannot be called {name!r}; use names with / in between"
        )
    folder = path
    for part in parts:
        if driver_of(folder) is not None:
            raise ValueError(f"{folder}: is an array itself, so that {name!r} cannot lie in it")
        folder = folder / part
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"{folder}: is a file; choose another name")
    if folder.is_dir() and driver_of(folder) is None and any(folder.iterdir()):
        raise ValueError(f"{path}: {name!r} is not an array but holds others; choose another name")
    return folder


def _write_zarr(path: Path, dataset: str | None, array: NDArray[Any]) -> None:
    _write_chunked("zarr", path, dataset, array)


def _write_n5(path: Path, dataset: str | None, array: NDArray[Any]) -> None:
    _write_chunked("n5", path, dataset, array.T)


def _write_chunked(driver: str, path: Path, dataset: str | None, array: NDArray[Any]) -> None:
    tensorstore = _tensorstore(path)
    folder = check_chunked_target(path, dataset)
    chunks = [min(_CHUNK, max(length, 1)) for length in array.shape]
    metadata: dict[str, Any]
    if driver == "n5":
        metadata = {
            "dataType": array.dtype.name,
            "dimensions": list(array.shape),
            "blockSize": chunks,
            "compression": {"type": "gzip"},
        }
        _mark_group(path / "attributes.json", {"n5": "2.0.0"})
    else:
        metadata = {"dtype": array.dtype.str, "shape": list(array.shape), "chunks": chunks}
        _mark_group(path / ".zgroup", {"zarr_format": 2})
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with open_folder(folder) as part:
            spec = {
                "driver": driver,
                "kvstore": {"driver": "file", "path": str(part.resolve())},
                "metadata": metadata,
            }
            store = tensorstore.open(spec, create=True).result()
            store.write(np.ascontiguousarray(array)).result()
    except (ValueError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{folder}: cannot be written ({reason})") from error


def _mark_group(path: Path, document: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        write_whole(path, json.dumps(document))


ZARR = ArrayFormat(
    "zarr", "folders of chunks, versions 2 and 3", (".zarr",), _read_chunked, _write_zarr, True
)
N5 = ArrayFormat("n5", "folders of chunks", (".n5",), _read_chunked, _write_n5, True)
