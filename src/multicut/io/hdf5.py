"""Common parts of the HDF5 formats; h5py is imported when it is first needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from multicut._extras import needed
from multicut.io.arrays import check_array
from multicut.io.errors import FormatError
from multicut.io.limits import is_implausible
from multicut.io.source import Source

#: What h5py raises on damaged files.
DAMAGED_HDF5 = (
    OSError,
    KeyError,
    OverflowError,
    RuntimeError,
    SystemError,
    TypeError,
    ValueError,
)
_MAGIC = b"\x89HDF\r\n\x1a\n"


def is_hdf5(source: Source) -> bool:
    """Whether a file is HDF5."""
    return source.head.startswith(_MAGIC)


@contextmanager
def open_hdf5(source: Source) -> Iterator[Any]:
    """Open a file to read; errors of h5py become errors that name the file."""
    needed("h5py", by=f"{source.path}: an HDF5 file")
    import h5py

    if not is_hdf5(source):
        raise source.error("not an HDF5 file, or cut short")
    try:
        with h5py.File(source.handle(), "r") as file:
            _refuse_other_files(source, file)
            yield file
    except FormatError:
        raise
    except DAMAGED_HDF5 as error:
        reason = " ".join(str(error).split())
        raise source.error(f"the HDF5 file is damaged ({reason})") from error


@contextmanager
def edit_hdf5(stream: IO[bytes], mode: str) -> Iterator[Any]:
    """Open a stream to write HDF5 into it: ``"w"`` for a new file, ``"r+"`` for one that is there.

    The HDF5 library crashes the process if a write fails, for instance on a full disk. So the
    error is hidden from it and raised when the file is closed.
    """
    needed("h5py", by="an HDF5 file")
    import h5py

    guarded = _Guarded(stream)
    try:
        with h5py.File(guarded, mode) as file:
            yield file
    finally:
        if guarded.error is not None:
            raise guarded.error
    stream.flush()


class _Guarded:
    """A stream whose writes never fail: it keeps the first error, and drops what comes after."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self.error: OSError | None = None

    def write(self, data: Any) -> int:
        if self.error is None:
            try:
                return self._stream.write(data)
            except OSError as error:
                self.error = error
        return len(data)

    def read(self, size: int) -> bytes:
        data = b""
        try:
            data = self._stream.read(size)
        except OSError as error:
            self.error = self.error or error
        # Dropped data cannot be read again.
        return data if self.error is None else data.ljust(size, b"\0")

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._forward("seek", offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def truncate(self, size: int) -> int:
        return self._forward("truncate", size)

    def flush(self) -> None:
        self._forward("flush")

    def _forward(self, name: str, *arguments: int) -> int:
        """Call a method that may write what is still in a buffer."""
        if self.error is None:
            try:
                return int(getattr(self._stream, name)(*arguments) or 0)
            except OSError as error:
                self.error = error
        return arguments[0] if arguments else 0


def _refuse_other_files(source: Source, file: Any) -> None:
    """Raise an error if data lies in another file, before that file is opened.

    Otherwise an untrusted HDF5 file could read any file of the machine as numbers.
    """
    import h5py

    names: list[str] = []
    file.visit_links(names.append)
    links = {name: file.get(name, getlink=True) for name in names}
    for name, link in links.items():
        if isinstance(link, h5py.ExternalLink):
            raise source.error(
                f"{name!r} is a link to another file; copy what it leads to into this one"
            )
    for name, link in links.items():
        item = file[name] if isinstance(link, h5py.HardLink) else None
        if isinstance(item, h5py.Dataset) and (item.external is not None or item.is_virtual):
            raise source.error(
                f"dataset {name!r} keeps its numbers in another file; copy them into this one"
            )


def groups(file: Any) -> Iterator[tuple[str, Any]]:
    """Yield the file itself and every group in it, with their paths."""
    import h5py

    found = [("", file)]
    file.visititems(lambda name, item: found.append((name, item)))
    return ((name, item) for name, item in found if isinstance(item, h5py.Group))


def has_dataset(group: Any, name: str) -> bool:
    """Whether a group holds a dataset of that name."""
    import h5py

    return isinstance(group.get(name), h5py.Dataset)


def claims_too_much(dataset: Any) -> bool:
    """Whether a dataset states a shape for which its file is far too small.

    Data in other files are not looked at.
    """
    if dataset.external is not None or dataset.is_virtual:
        return False
    size = (dataset.size or 0) * dataset.dtype.itemsize
    return is_implausible(size, dataset.file.id.get_filesize())


def read_array(source: Source, group: Any, name: str, kinds: str, ndim: int = 1) -> NDArray[Any]:
    """Read a dataset of given kinds of numbers and number of dimensions."""
    place = f"{group.name.rstrip('/')}/{name}"
    if not has_dataset(group, name):
        raise source.error(f"lacks the dataset {place}")
    dataset = group[name]
    check_array(source, f"dataset {place}", dataset, kinds, ndim)
    source.check_size(bytes=dataset.size * dataset.dtype.itemsize)
    if claims_too_much(dataset):
        raise source.error(
            f"dataset {place} claims shape {dataset.shape}, more than the file can hold"
        )
    array: NDArray[Any] = np.asarray(dataset[()])
    if kinds == "iu" and array.dtype == np.uint64:
        if array.size > 0 and array.max() > np.iinfo(np.int64).max:
            raise source.error(
                f"dataset {place} must contain integers below 2^63, got {array.max()}"
            )
        array = array.astype(np.int64)
    return array
