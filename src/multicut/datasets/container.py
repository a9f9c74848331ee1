"""Datasets on disk: a folder of plain numpy arrays and a header.

=====================  ===========  ======================================================
``header.json``                     format, version, name, counts, where it comes from, and for each
                                    array its type, shape and SHA-256
``node_offsets.npy``   int64 (g+1)  where the nodes of each graph begin
``edge_offsets.npy``   int64 (g+1)  where the edges of each graph begin
``edges.npy``          int32 (m,2)  the two nodes of each edge, from 0 in each graph
``costs.npy``          f64 (m)      cost of each edge
``cut.npy``            bool (m)     whether the best known solution cuts it; optional
``objective.npy``      f64 (g)      what that solution costs; nan: unknown
``lower_bound.npy``    f64 (g)      no solution costs less; -inf: unknown
``positions.npy``      f32 (n,2)    where nodes lie; optional
``lifted_offsets.npy`` int64 (g+1)  where the lifted edges of each graph begin; optional
``lifted_edges.npy``   int32 (k,2)  the two nodes of each lifted edge; optional
``lifted_costs.npy``   f64 (k)      cost of each lifted edge; optional
``numbers.npy``        int64 (g)    number of each graph where it comes from
``name_offsets.npy``   int64 (g+1)  where the name of each graph begins in the next array; optional
``name_bytes.npy``     uint8        all names in UTF-8, one behind the other; optional
=====================  ===========  ======================================================

All numbers are little-endian. Nothing is ever unpickled.
"""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multicut._target import alone_with, open_folder
from multicut._words import count
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.dataset import Dataset
from multicut.io.errors import DAMAGE, FormatError

FORMAT = "multicut-dataset"
VERSION = 1
HEADER = "header.json"

_TYPES = {
    "node_offsets": "<i8",
    "edge_offsets": "<i8",
    "edges": "<i4",
    "costs": "<f8",
    "cut": "|b1",
    "objective": "<f8",
    "lower_bound": "<f8",
    "positions": "<f4",
    "lifted_offsets": "<i8",
    "lifted_edges": "<i4",
    "lifted_costs": "<f8",
    "numbers": "<i8",
    "name_offsets": "<i8",
    "name_bytes": "|u1",
}
_TABLES = ("edges", "positions", "lifted_edges")
_LIFTED = ("lifted_offsets", "lifted_edges", "lifted_costs")
_OPTIONAL = ("cut", "positions", *_LIFTED, "name_offsets", "name_bytes")


def is_container(path: str | os.PathLike[str]) -> bool:
    """Whether there is a dataset in a folder."""
    return (Path(path) / HEADER).is_file()


def save_dataset(
    dataset: Dataset, path: str | os.PathLike[str], *, overwrite: bool = False
) -> None:
    """Write a dataset to a folder, which appears only once it is complete."""
    folder = Path(path)
    check_free(folder, overwrite=overwrite)
    with open_folder(folder) as part:
        write_folder(dataset, part)


def check_free(folder: Path, *, overwrite: bool = False) -> None:
    """Refuse a folder that cannot become a dataset."""
    # Another process may replace the folder meanwhile.
    with alone_with(folder) if overwrite else nullcontext():
        exists, is_dataset = folder.exists(), is_container(folder)
    if exists and not (overwrite and is_dataset):
        advice = "pass overwrite=True" if is_dataset else "choose another name"
        raise FileExistsError(f"{folder}: exists already; {advice}")
    if not folder.parent.is_dir():
        raise FileNotFoundError(
            f"{folder}: there is no folder {str(folder.parent)!r}; create it first"
        )


def write_folder(dataset: Dataset, folder: Path) -> None:
    """Write the files of a dataset to an empty or new folder, the header last."""
    try:
        json.dumps(dataset.info, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise type(error)(f"info must be plain values that JSON can hold: {error}") from None
    folder.mkdir(exist_ok=True)
    arrays: dict[str, NDArray[Any]] = dataset.arrays().by_name() | {"numbers": dataset.numbers}
    if dataset.has_own_names:
        names = [name.encode() for name in dataset.names]
        arrays["name_offsets"] = np.cumsum([0, *map(len, names)])
        arrays["name_bytes"] = np.frombuffer(b"".join(names), dtype=np.uint8)
    entries = {}
    for name, array in arrays.items():
        plain = np.ascontiguousarray(array, dtype=_TYPES[name])
        # Into a file that is only written to, numpy writes by itself, and errors lose their reason.
        with (folder / f"{name}.npy").open("w+b") as file:
            np.save(file, plain, allow_pickle=False)
            _to_disk(file)
        entries[name] = {
            "type": _TYPES[name],
            "shape": list(plain.shape),
            "sha256": hashlib.sha256(plain.data).hexdigest(),
        }
    header = {
        "format": FORMAT,
        "version": VERSION,
        "name": dataset.name,
        "num_graphs": len(dataset),
        "num_nodes": int(dataset.num_nodes.sum()),
        "num_edges": int(dataset.num_edges.sum()),
        **_count_lifted(dataset),
        "num_labelled": int(dataset.labelled.sum()),
        "num_optimal": int(dataset.optimal.sum()),
        "info": dataset.info,
        "arrays": entries,
    }
    with (folder / HEADER).open("wb") as file:
        file.write(json.dumps(header, indent=2, allow_nan=False).encode() + b"\n")
        _to_disk(file)


def _count_lifted(dataset: Dataset) -> dict[str, int]:
    # Datasets without lifted edges stay as they were, byte by byte.
    count = int(dataset.num_lifted_edges.sum())
    return {"num_lifted_edges": count} if count > 0 else {}


def read_header(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the header of a dataset, and make sure that it is one."""
    folder = Path(path)
    file = folder / HEADER
    if not file.is_file():
        what = "no such folder" if not folder.exists() else f"no dataset, it has no {HEADER}"
        raise FileNotFoundError(f"{folder}: {what}")
    try:
        header = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(file, f"not a readable header ({error})") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FormatError(file, f"not the header of a dataset: it must say format {FORMAT!r}")
    if header.get("version") != VERSION:
        raise FormatError(
            file, f"has version {header.get('version')!r}, this package reads {VERSION}; update it"
        )
    return header


def load_dataset(path: str | os.PathLike[str], *, verify: bool = False) -> Dataset:
    """Open a dataset; its arrays stay on disk until they are used."""
    folder = Path(path)
    header = read_header(folder)
    entries = header.get("arrays")
    if not isinstance(entries, dict):
        raise FormatError(folder / HEADER, "lacks the entry 'arrays'")
    missing = [name for name in _TYPES if name not in entries and name not in _OPTIONAL]
    if missing:
        raise FormatError(folder / HEADER, f"lacks the array(s) {', '.join(missing)}")
    lifted = [name for name in _LIFTED if name in entries]
    if lifted and len(lifted) < len(_LIFTED):
        raise FormatError(folder / HEADER, f"must name all of {', '.join(_LIFTED)}, or none")
    for name, entry in entries.items():
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("shape"), list)
            or not isinstance(entry.get("sha256"), str)
        ):
            raise FormatError(folder / HEADER, f"must tell shape and sha256 of array {name!r}")
    info = header.get("info", {})
    if not isinstance(info, dict):
        raise FormatError(folder / HEADER, "its entry 'info' must be an object")
    loaded = {
        name: _load_array(folder / f"{name}.npy", name, entries[name], verify=verify)
        for name in _TYPES
        if name in entries
    }
    numbers = loaded.pop("numbers")
    name_offsets = loaded.pop("name_offsets", None)
    name_bytes = loaded.pop("name_bytes", None)
    loaded.setdefault("cut", None)  # type: ignore[arg-type]
    arrays = DatasetArrays(**loaded)
    _check_consistency(folder, arrays, numbers)
    names = None
    if name_offsets is not None and name_bytes is not None:
        if len(name_offsets) != len(arrays.node_offsets):
            raise FormatError(
                folder / "name_offsets.npy",
                f"must contain {count(arrays.num_graphs + 1, 'number')}",
            )
        _check_offsets(folder, "name_offsets", name_offsets, len(name_bytes))
        content, ends = name_bytes.tobytes(), name_offsets.tolist()
        try:
            names = [content[a:b].decode() for a, b in pairwise(ends)]
        except UnicodeDecodeError as error:
            raise FormatError(folder / "name_bytes.npy", f"is not UTF-8 ({error})") from None
    return Dataset(
        arrays,
        name=str(header.get("name", folder.name)),
        names=names,
        numbers=np.asarray(numbers),
        info=info,
    )


def _load_array(file: Path, name: str, entry: dict[str, Any], *, verify: bool) -> NDArray[Any]:
    try:
        # Empty arrays cannot be mapped.
        is_empty = 0 in entry["shape"]
        array = np.load(file, mmap_mode=None if is_empty else "r", allow_pickle=False)
    except FileNotFoundError:
        raise FormatError(file, "is missing, but the header names it") from None
    except (*DAMAGE, ValueError) as error:
        raise FormatError(file, f"cannot be read ({error})") from None
    if not isinstance(array, np.ndarray):
        raise FormatError(file, "cannot be read (it is an archive, not one array)")
    if array.dtype.str != _TYPES[name] or list(array.shape) != entry["shape"]:
        raise FormatError(
            file,
            f"must contain {_TYPES[name]} of shape {entry['shape']}, got {array.dtype.str} of "
            f"shape "
            f"{list(array.shape)}",
        )
    num_axes = 2 if name in _TABLES else 1
    if array.ndim != num_axes:
        raise FormatError(file, f"must have {count(num_axes, 'axis')}, got {array.ndim}")
    if verify and hashlib.sha256(np.ascontiguousarray(array).data).hexdigest() != entry["sha256"]:
        raise FormatError(file, "does not match its checksum: it was damaged or changed")
    return np.asarray(array)


def _check_consistency(folder: Path, arrays: DatasetArrays, numbers: NDArray[Any]) -> None:
    """Make sure that offsets and shapes fit together; edges are checked when they are used."""
    num_graphs = len(arrays.node_offsets) - 1
    _check_offsets(folder, "edge_offsets", arrays.edge_offsets, len(arrays.costs))
    num_nodes = int(arrays.node_offsets[-1]) if num_graphs >= 0 else 0
    _check_offsets(folder, "node_offsets", arrays.node_offsets, num_nodes)
    num_lifted = 0 if arrays.lifted_costs is None else len(arrays.lifted_costs)
    if arrays.lifted_offsets is not None:
        _check_offsets(folder, "lifted_offsets", arrays.lifted_offsets, num_lifted)
    expected = {
        "edge_offsets": (num_graphs + 1,),
        "lifted_offsets": (num_graphs + 1,),
        "lifted_edges": (num_lifted, 2),
        "edges": (len(arrays.costs), 2),
        "cut": (len(arrays.costs),),
        "objective": (num_graphs,),
        "lower_bound": (num_graphs,),
        "positions": (num_nodes, 2),
    }
    for name, array in arrays.by_name().items():
        if name in expected and array.shape != expected[name]:
            raise FormatError(
                folder / f"{name}.npy", f"must have shape {expected[name]}, got {array.shape}"
            )
    if numbers.shape != (num_graphs,):
        raise FormatError(folder / "numbers.npy", f"must contain {count(num_graphs, 'number')}")


def _check_offsets(folder: Path, name: str, offsets: NDArray[Any], last: int) -> None:
    if (
        offsets.ndim != 1
        or len(offsets) < 1
        or offsets[0] != 0
        or offsets[-1] != last
        or (np.diff(offsets) < 0).any()
    ):
        raise FormatError(folder / f"{name}.npy", f"must ascend from 0 to {last}")


def _to_disk(file: Any) -> None:
    """Make sure that a file survives a loss of power before it is relied upon."""
    file.flush()
    os.fsync(file.fileno())
