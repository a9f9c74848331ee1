"""Problems that others have published: readers of their folders, and the paper's splits of them."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from multicut._registry import Registry
from multicut._words import count
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.container import is_container
from multicut.datasets.dataset import Dataset
from multicut.io import FormatError, list_formats, open_file
from multicut.io.errors import DAMAGE


@dataclass(frozen=True)
class CorpusRecord:
    """One published corpus.

    Attributes
    ----------
    name
        What :func:`read_corpus` knows it by.
    description
        One line.
    folders
        The folders that belong to it, as patterns: read if they are there, else the folder itself.
    parts
        How Jung and Keuper divided it. They do not say which graph went where; here the graphs are
        in the order of their names, the first ones for training, and each folder is divided by
        itself, so that graphs of every size are in every part.
    """

    name: str
    description: str
    folders: tuple[str, ...]
    parts: Mapping[str, float]


_CORPORA: Registry[CorpusRecord] = Registry(
    "corpus",
    (
        CorpusRecord(
            "bsds300",
            "image segmentation of OpenGM: region graphs of 100 Berkeley images",
            ("image-seg",),
            {"train": 70, "valid": 20, "test": 10},
        ),
        CorpusRecord(
            "knott",
            "3-D segmentation of OpenGM: 24 region graphs of electron microscopy",
            ("knott-3d-150", "knott-3d-300", "knott-3d-450"),
            {"train": 18, "valid": 6},
        ),
        CorpusRecord(
            "cremi",
            "region graphs of the three CREMI volumes, electron microscopy",
            ("cremi*", "CREMI*"),
            {"train": 2, "valid": 1},
        ),
    ),
)


def list_corpora(pattern: str = "*") -> list[CorpusRecord]:
    """Return the records of all corpora whose name matches a pattern."""
    return _CORPORA.matching(pattern)


def get_corpus(name: str) -> CorpusRecord:
    """Return the record of one corpus."""
    return _CORPORA.get(name)


def read_corpus(
    name: str, folder: str | os.PathLike[str], split: str | None = None, *, pattern: str = "*"
) -> Dataset:
    """Read a published corpus from where it was unpacked.

    Parameters
    ----------
    name
        A name from :func:`list_corpora`.
    folder
        The folder with its files, or one that holds the corpus' own folders, such as
        ``knott-3d-150``.
    split
        One of the paper's parts; by default everything.
    pattern
        Which files to read, such as ``"*.h5"``.
    """
    record = get_corpus(name)
    if split is not None and split not in record.parts:
        raise ValueError(f"{name} has the splits {', '.join(record.parts)}, got {split!r}")
    root = Path(folder)
    found = sorted({f for part in record.folders for f in root.glob(part) if f.is_dir()})
    members = [read_folder(place, pattern) for place in found or [root]]
    if split is not None:
        members = [member.split(record.parts)[split] for member in members]
    names = [
        f"{place.name}/{graph}" if len(found) > 1 else graph
        for place, member in zip(found or [root], members, strict=True)
        for graph in member.names
    ]
    arrays = DatasetArrays.concatenate([member.arrays() for member in members])
    own_name = name if split is None else f"{name}-{split}"
    info = {"corpus": name} if split is None else {"corpus": name, "split": split}
    return Dataset(arrays, name=own_name, names=names, info=info)


def read_folder(folder: str | os.PathLike[str], pattern: str = "*") -> Dataset:
    """Read all problems in the files of a folder, in the order of their names.

    Numbers within names count as numbers: ``graph2`` comes before ``graph10``.

    Parameters
    ----------
    folder
        The folder; those inside it are not looked into.
    pattern
        Which files to read. Of these, hidden files and files whose ending belongs to no format are
        left out.
    """
    root = Path(folder)
    files = problem_files(root, pattern)
    parts = [read_file(file) for file in files]
    stems = [file.name for file in files]
    names = [
        stem if len(part) == 1 else f"{stem}/{graph}"
        for stem, part in zip(stems, parts, strict=True)
        for graph in part.names
    ]
    arrays = DatasetArrays.concatenate([part.arrays() for part in parts])
    return Dataset(arrays, name=root.resolve().name, names=names, info={"folder": root.name})


def problem_files(root: Path, pattern: str = "*") -> list[Path]:
    """List the files of a folder that hold problems, numbers within names counting as numbers."""
    if not root.is_dir():
        raise FileNotFoundError(f"{root}: no such folder")
    endings = {suffix for record in list_formats() for suffix in record.suffixes}
    # Some systems leave hidden files like ._graph1.h5 beside those they copy.
    seen = (f for f in root.glob(pattern) if f.is_file() and not f.name.startswith("."))
    files = sorted((f for f in seen if _ending(f) in endings), key=_natural)
    if not files:
        raise FileNotFoundError(
            f"{root}: no file matches {pattern!r} and ends in one of {', '.join(sorted(endings))}"
        )
    return files


def read_file(path: str | os.PathLike[str]) -> Dataset:
    """Read all problems of one file in any format, with the optima that a packed ``.npz`` states.

    An optimum counts as proven; the solution itself is not known.
    """
    file = Path(path)
    opened = open_file(file)
    dataset = Dataset.from_problems(dict(opened), name=file.stem)
    arrays = dataset.arrays()
    if opened.format_name == "npz":
        arrays = _with_optima(arrays, file)
    return Dataset(arrays, name=file.stem, names=dataset.names, info={"file": file.name})


def open_dataset(source: str | os.PathLike[str], split: str | None = None) -> Dataset:
    """Open whatever holds problems.

    Parameters
    ----------
    source
        A shipped set (``randommp``, ``irismp``), or the path of a dataset, of a folder with files
        or of a file.
    split
        The part of a shipped set, by default ``"train"``; others have none.
    """
    from multicut.datasets.shipped import SHIPPED

    if str(source) in SHIPPED and not Path(source).exists():
        return SHIPPED[str(source)](split or "train")
    if split is not None:
        raise ValueError(f"{source}: only shipped sets ({', '.join(SHIPPED)}) have splits")
    path = Path(source)
    if is_container(path):
        return Dataset.load(path)
    if path.is_dir():
        return read_folder(path)
    if not path.exists():
        raise FileNotFoundError(
            f"{path}: neither a file, a folder nor a shipped set ({', '.join(SHIPPED)})"
        )
    return read_file(path)


def _with_optima(arrays: DatasetArrays, file: Path) -> DatasetArrays:
    try:
        with np.load(file, allow_pickle=False) as archive:
            optima = archive["optimum"] if "optimum" in archive.files else None
    except (*DAMAGE, ValueError) as error:
        raise FormatError(file, f"array 'optimum' cannot be read ({error})") from None
    if optima is None:
        return arrays
    if optima.shape != (arrays.num_graphs,) or optima.dtype.kind not in "iuf":
        raise FormatError(
            file, f"array 'optimum' must contain {count(arrays.num_graphs, 'number')}"
        )
    bounds = np.where(np.isnan(optima), -np.inf, optima)
    return replace(arrays, objective=optima.astype(np.float64), lower_bound=bounds)


def _ending(file: Path) -> str:
    name = file.name.lower().removesuffix(".gz")
    return Path(name).suffix


def _natural(file: Path) -> tuple[list[tuple[int, str]], str]:
    pieces = re.findall(r"\d+|\D+", file.name)
    # The name itself decides between graph2 and graph02.
    return [(int(p), "") if p.isdecimal() else (-1, p) for p in pieces], file.name
