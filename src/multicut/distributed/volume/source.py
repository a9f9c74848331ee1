"""Arrays on disk that are read box by box: Zarr and N5 by tensorstore, HDF5 by h5py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut.distributed.volume.axes import Axes, find_axes
from multicut.distributed.volume.blocks import Box, Shape
from multicut.distributed.volume.ome import Multiscale, read_attributes, read_multiscale
from multicut.io.source import check_file
from multicut.vision.files import find_place
from multicut.vision.files.chunked import arrays_below, driver_of
from multicut.vision.files.record import choose_dataset

if TYPE_CHECKING:
    from numpy.typing import NDArray

HDF5 = "hdf5"
_METADATA = {"zarr": ".zarray", "zarr3": "zarr.json", "n5": "attributes.json"}
_FORMATS = ("zarr", "n5", "hdf5")
# Reading is done by as many processes as there are processors already.
_CONTEXT = {"data_copy_concurrency": {"limit": 1}, "file_io_concurrency": {"limit": 2}}


@dataclass(frozen=True)
class VolumeSource:
    """An array on disk, and what its axes mean; workers get it by value and open it themselves.

    Attributes
    ----------
    driver
        ``zarr``, ``zarr3``, ``n5`` or ``hdf5``.
    path, dataset
        The folder of the array; for HDF5 the file, and the dataset in it.
    axes
        What the axes of the array mean.
    full_shape
        The length of each axis of the array.
    chunks
        The voxels along each axis of space that are stored together, None if all are.
    inner_chunks
        The chunks within those, if a chunk is a shard of several.
    dtype
        The type of the values.
    attributes
        What the array says about itself.
    multiscale
        The metadata of OME-Zarr that concern it, if there are any.
    level
        Which of the arrays of `multiscale` it is.
    """

    driver: str
    path: str
    dataset: str
    axes: Axes
    full_shape: Shape
    chunks: Shape | None
    inner_chunks: Shape | None
    dtype: str
    attributes: Mapping[str, Any] = field(default_factory=dict, hash=False)
    multiscale: Multiscale | None = field(default=None, hash=False)
    level: int = 0

    @property
    def name(self) -> str:
        """The array, for messages."""
        return f"{self.path}:{self.dataset}" if self.driver == HDF5 else self.path

    @property
    def shape(self) -> Shape:
        """The length of each axis of space."""
        return tuple(self.full_shape[axis] for axis in self.axes.space)

    @property
    def bytes_per_voxel(self) -> int:
        """The bytes of all channels of a voxel."""
        channel = self.axes.channel
        count = 1 if channel is None else self.full_shape[channel]
        return count * np.dtype(self.dtype).itemsize

    def written(self) -> int:
        """Return when the array was made, in nanoseconds: its file, or that of its metadata."""
        return (Path(self.path) / _METADATA.get(self.driver, "")).stat().st_mtime_ns

    def read(self, box: Box, *, with_channels: bool = False) -> NDArray[Any]:
        """Return the values of a box, with the channels as first axis if these are asked for."""
        index: list[Any] = [0] * len(self.full_shape)
        for axis, part in zip(self.axes.space, box.slices, strict=True):
            index[axis] = part
        channel = self.axes.channel
        if with_channels and channel is not None:
            index[channel] = slice(None)
        try:
            values = self._values(tuple(index))
        except (ValueError, OSError, RuntimeError, KeyError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ValueError(
                f"{self.name}: cannot be read at {box} ({reason}); replace what is damaged, and "
                f"repeat the command"
            ) from None
        if with_channels and channel is not None:
            values = np.moveaxis(values, sum(axis < channel for axis in self.axes.space), 0)
        elif with_channels:
            values = values[np.newaxis]
        return np.ascontiguousarray(values)

    def _values(self, index: tuple[Any, ...]) -> NDArray[Any]:
        """Read a part of the array; it is open only meanwhile, since others may replace it."""
        if self.driver == HDF5:
            import h5py

            with h5py.File(self.path, "r") as file:
                return np.asarray(file[self.dataset][index])
        return np.asarray(_open(self.driver, self.path)[index].read().result())


def open_source(
    path: str, *, axes: str | None = None, num_channels: int = 0, name: str = "source"
) -> VolumeSource:
    """Find an array on disk and look at its metadata.

    Parameters
    ----------
    path
        A file or folder, whose dataset may follow after a colon.
    axes
        Letters for the axes of the array; by default those of its metadata.
    num_channels
        The channels to expect, 0 for an array without them.
    name
        The argument, for messages.
    """
    place = find_place(path)
    if place.format.name not in _FORMATS:
        raise ValueError(
            f"{name} {path}: block by block only .zarr, .n5 and .h5 can be read; "
            f"convert it, or segment it at once without blocks"
        )
    if place.format.name == HDF5:
        return _open_hdf5(place.path, place.dataset, axes, num_channels)
    return _open_chunked(place.path, place.dataset, axes, num_channels)


def _open_hdf5(
    path: Path, dataset: str | None, letters: str | None, num_channels: int
) -> VolumeSource:
    needed("h5py", by=f"{path}: an HDF5 file")
    import h5py

    check_file(path)
    try:
        with h5py.File(path, "r") as file:
            names: list[str] = []
            file.visititems(
                lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) else None
            )
            name = choose_dataset(path, names, dataset)
            array = file[name]
            axes = find_axes(f"{path}:{name}", array.shape, letters, None, num_channels)
            chunks = array.chunks and tuple(array.chunks[axis] for axis in axes.space)
            return VolumeSource(
                HDF5, str(path.resolve()), name, axes, array.shape, chunks, None, array.dtype.str
            )
    except (OSError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"{path}: cannot be read as HDF5 ({reason})") from error


def _open_chunked(
    path: Path, dataset: str | None, letters: str | None, num_channels: int
) -> VolumeSource:
    if not path.is_dir():
        raise FileNotFoundError(f"{path}: no such folder")
    folder, multiscale, level = _find_array(path, dataset)
    driver = driver_of(folder)
    assert driver is not None
    try:
        array = _open(driver, str(folder.resolve()))
    except (ValueError, OSError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ValueError(f"{folder}: cannot be read ({reason})") from error
    attributes = read_attributes(folder)
    found = multiscale.letters if multiscale is not None else _letters(array, attributes)
    axes = find_axes(str(folder), tuple(array.shape), letters, found, num_channels)
    layout = array.chunk_layout
    chunks = tuple(layout.write_chunk.shape[axis] for axis in axes.space)
    inner = tuple(layout.read_chunk.shape[axis] for axis in axes.space)
    return VolumeSource(
        driver,
        str(folder.resolve()),
        "",
        axes,
        tuple(array.shape),
        chunks,
        inner if inner != chunks else None,
        array.dtype.numpy_dtype.str,
        attributes,
        multiscale,
        level,
    )


def _find_array(path: Path, dataset: str | None) -> tuple[Path, Multiscale | None, int]:
    """Return the folder of an array, and the metadata of the image that it belongs to."""
    folder = path if dataset is None else path / dataset.strip("/")
    multiscale = read_multiscale(folder) if folder.is_dir() else None
    if multiscale is not None and driver_of(folder) is None:  # the finest array of an image
        folder = folder / multiscale.paths[0]
        if not folder.is_dir() or driver_of(folder) is None:
            raise ValueError(f"{folder}: is missing, but the metadata of its group name it")
        return folder, multiscale, 0
    folder = path / choose_dataset(path, arrays_below(path), dataset)
    multiscale = read_multiscale(folder.parent)
    if multiscale is not None and folder.name in multiscale.paths:
        return folder, multiscale, multiscale.paths.index(folder.name)
    return folder, None, 0


def _letters(array: Any, attributes: Mapping[str, Any]) -> str | None:
    """Return letters of axes that the metadata of an array name, None if they are incomplete."""
    labels = [label[:1].lower() for label in array.domain.labels]
    if not all(labels):
        names = attributes.get("_ARRAY_DIMENSIONS", [])
        labels = [str(name)[:1].lower() for name in names] if isinstance(names, list) else []
    complete = len(labels) == array.ndim and set(labels) <= set("tczyx")
    return "".join(labels) if complete else None


def _open(driver: str, path: str) -> Any:
    """Open an array; N5 stores axes the other way round."""
    needed("tensorstore", by=f"{path}: a zarr or N5 volume")
    import tensorstore

    array = tensorstore.open(
        {
            "driver": driver,
            "kvstore": {"driver": "file", "path": path},
            "context": _CONTEXT,
        },
        read=True,
    ).result()
    return array.T if driver == "n5" else array
