"""The published graphs: which files hold them, and whether they are all there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from multicut.benchmark.cache import Cache
from multicut.datasets import Dataset
from multicut.datasets.corpora import get_corpus, problem_files, read_corpus
from multicut.io import FormatError, open_file

#: The columns of the published tables, by corpus.
TITLES = {"bsds300": "BSDS300", "cremi": "CREMI", "knott": "Knott"}
#: Tells in a cache which files the measurements of published graphs are of.
MEASURED = "published_graphs.json"


@dataclass(frozen=True)
class PublishedGraphs:
    """All graphs of a published corpus.

    Attributes
    ----------
    corpus
        The name of its record in :mod:`multicut.datasets.corpora`.
    data
        The folder that holds its folders.
    pattern
        Which of their files hold its graphs.
    files
        These files.
    """

    corpus: str
    data: Path
    pattern: str
    files: tuple[Path, ...]

    def read(self, split: str | None = None) -> Dataset:
        """Return the graphs of one of the paper's parts; by default all."""
        return read_corpus(self.corpus, self.data, split, pattern=self.pattern)


def find_published(corpus: str, data: Path) -> PublishedGraphs | None:
    """Return the published graphs of a corpus, or None if `data` has no folder for them.

    Raises
    ------
    ValueError
        If the folders hold another number of graphs than were published, or no problems.
    """
    record, title = get_corpus(corpus), TITLES[corpus]
    expected = round(sum(record.parts.values()))
    found = {each for part in record.folders for each in data.glob(part) if each.is_dir()}
    folders = sorted(found)
    if not folders:
        return None
    # Beside HDF5 files lie texts that are no problems, and `.txt` is the ending of a format.
    has_hdf5 = any(not file.name.startswith(".") for each in folders for file in each.glob("*.h5"))
    pattern = "*.h5" if has_hdf5 else "*"
    try:
        files = [file for each in folders for file in problem_files(each, pattern)]
        count = sum(len(open_file(file)) for file in files)
    except (FileNotFoundError, FormatError) as error:
        raise ValueError(
            f"{title} needs {expected} multicut problems and nothing else: {error}"
        ) from None
    if count != expected:
        places = ", ".join(str(folder) for folder in folders)
        raise ValueError(
            f"{title} has {expected} graphs, got {count} in {places}; unpack all of its multicut "
            f"problems and nothing else under {data}, or move these files away"
        )
    return PublishedGraphs(corpus, data, pattern, tuple(files))


def fingerprint(files: Iterable[Path]) -> str:
    """Return a few letters that differ for files of other names or content."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.parent.name}/{file.name}\n".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()[:12]


def check_measured(data: Path, cache: Path) -> None:
    """Raise an error if a cache has measurements of other files under the names of these.

    Keys of caches name a published set without its files. So the first measurement in a cache
    notes the files, and all later ones must be of the same.
    """
    store = Cache(cache / MEASURED)
    for corpus, title in TITLES.items():
        published = find_published(corpus, data)
        if published is None:
            continue
        files = fingerprint(published.files)
        if title not in store.cells:
            store.put(title, {"files": files})
        elif store.cells[title]["files"] != files:
            raise ValueError(
                f"{title} in {data} is not what {store.path} was measured on; restore those files, "
                f"or give another --cache"
            )
