"""Where labels go: an array with the chunks and the metadata of the source, filled box by box."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut._target import check_target, open_target, write_whole
from multicut.distributed.volume.blocks import BlockGrid, Box, Shape
from multicut.distributed.volume.ome import describe_labels
from multicut.distributed.volume.source import HDF5, VolumeSource
from multicut.io.hdf5 import edit_hdf5
from multicut.vision.files import find_place

if TYPE_CHECKING:
    from numpy.typing import NDArray

LABEL_TYPE = np.dtype("<u8")
_OUTPUT = "output"
_CHUNK = 64
_DATASET = "labels"
# Attributes of the source's values, not of its place in space.
_OF_VALUES = ("image-label", "multiscales", "ome", "omero", "dimensions", "blockSize", "dataType")
_OF_N5 = ("compression", "n5", "compressionType")


@dataclass(frozen=True)
class Target:
    """The array to write.

    Attributes
    ----------
    path, dataset
        The file or folder, and the name of the array in it; no name if the folder is an image of
        OME-Zarr itself.
    driver
        ``zarr``, ``zarr3``, ``n5`` or ``hdf5``.
    chunks, inner_chunks
        Voxels that are stored together; chunks within shards, if there are any.
    is_image
        Whether the folder becomes an image of OME-Zarr, with one array for each resolution.
    """

    path: Path
    dataset: str | None
    driver: str
    chunks: Shape
    inner_chunks: Shape | None
    is_image: bool

    @property
    def place(self) -> Path:
        """The folder or file that appears when all is done."""
        if self.driver == HDF5 or self.dataset is None:
            return self.path
        return self.path / self.dataset

    @property
    def workspace(self) -> Path:
        """The folder for files between stages."""
        return self.path.with_name(f"{self.path.name}.partial")

    @property
    def report(self) -> Path:
        """The file for the report."""
        return self.path.with_name(f"{self.path.stem}.report.json")

    @property
    def table(self) -> Path:
        """The folder for the table of the region graph."""
        return self.path.with_name(f"{self.path.stem}.regions.parquet")

    def __str__(self) -> str:
        return str(self.path) if self.dataset is None else f"{self.path}:{self.dataset}"


def find_target(path: str, source: VolumeSource, *, pyramid: int) -> Target:
    """Decide what to write where, before any work is done."""
    found = find_place(path)
    kind = found.format.name
    if kind not in ("zarr", "n5", HDF5):
        raise ValueError(f"target {path}: labels of blocks go to .zarr, .n5 or .h5")
    if not found.path.parent.is_dir():
        raise FileNotFoundError(
            f"{found.path}: there is no folder {str(found.path.parent)!r}; create it first"
        )
    if not os.access(found.path.parent, os.W_OK):
        raise PermissionError(f"{found.path}: its folder is not writable")
    if kind == HDF5:
        check_target(found.path)
    if pyramid > 0 and kind != "zarr":
        raise ValueError(f"target {path}: only .zarr can hold a pyramid; leave pyramid out")
    driver = "zarr3" if kind == "zarr" and source.driver == "zarr3" else kind
    is_image = kind == "zarr" and (source.multiscale is not None or pyramid > 0)
    dataset = found.dataset if is_image or found.dataset is not None else _DATASET
    inner = source.inner_chunks if driver == "zarr3" else None
    chunks = source.chunks or tuple(min(_CHUNK, length) for length in source.shape)
    if driver != "zarr3" and source.inner_chunks is not None:
        chunks = source.inner_chunks
    # A chunk that is larger than the volume would make blocks larger, too.
    if inner is None:
        chunks = tuple(min(c, max(n, 1)) for c, n in zip(chunks, source.shape, strict=True))
    return Target(found.path, dataset, driver, tuple(chunks), inner, is_image)


def create(target: Target, source: VolumeSource, folder: Path, levels: list[BlockGrid]) -> None:
    """Make the arrays to fill in the workspace; those that are there already stay."""
    output = folder / _OUTPUT
    if not target.is_image:
        _create_array(target, source, output, levels[0].shape)
        return
    for number, grid in enumerate(levels):
        _create_array(target, source, output / str(number), grid.shape)
    attributes = _image_attributes(target, source, len(levels))
    if target.driver == "zarr3":
        document = {"zarr_format": 3, "node_type": "group", "attributes": attributes}
        write_whole(output / "zarr.json", json.dumps(document, indent=1))
    else:
        write_whole(output / ".zgroup", json.dumps({"zarr_format": 2}))
        write_whole(output / ".zattrs", json.dumps(attributes, indent=1))


def _image_attributes(target: Target, source: VolumeSource, num_levels: int) -> dict[str, Any]:
    image, space = source.multiscale, source.axes.space
    version = "0.5" if target.driver == "zarr3" else "0.4"
    name = target.path.stem
    if image is None:
        axes = [{"name": letter, "type": "space"} for letter in source.axes.space_names]
        return describe_labels(name, version, axes, [1.0] * len(space), None, num_levels)
    translation = image.translations[source.level]
    return describe_labels(
        name,
        version,
        [image.axes[axis] for axis in space],
        [image.scales[source.level][axis] for axis in space],
        None if translation is None else [translation[axis] for axis in space],
        num_levels,
    )


def _create_array(target: Target, source: VolumeSource, folder: Path, shape: Shape) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    chunks = list(target.chunks)
    attributes = _attributes(source)
    names = source.axes.space_names
    if target.driver == "zarr3":
        codecs: list[dict[str, Any]] = [
            {"name": "bytes", "configuration": {"endian": "little"}},
            {"name": "zstd", "configuration": {"level": 3, "checksum": True}},
        ]
        if target.inner_chunks is not None:
            configuration = {"chunk_shape": list(target.inner_chunks), "codecs": codecs}
            codecs = [{"name": "sharding_indexed", "configuration": configuration}]
        metadata: dict[str, Any] = {
            "shape": list(shape),
            "data_type": "uint64",
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunks}},
            "codecs": codecs,
            "dimension_names": list(names),
            "attributes": attributes,
        }
    elif target.driver == "n5":
        metadata = {
            "dataType": "uint64",
            "dimensions": list(reversed(shape)),
            "blockSize": list(reversed(chunks)),
            "compression": {"type": "gzip"},
        }
        metadata.update(attributes)
    else:
        metadata = {
            "dtype": LABEL_TYPE.str,
            "shape": list(shape),
            "chunks": chunks,
            "compressor": {"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 1},
        }
    _open(target.driver, folder, {"metadata": metadata})
    if target.driver in ("zarr", HDF5) and attributes and not (folder / ".zattrs").exists():
        write_whole(folder / ".zattrs", json.dumps(attributes, indent=1))


def _attributes(source: VolumeSource) -> Mapping[str, Any]:
    """Return the attributes of the source that hold for labels, too, such as a resolution."""
    if source.axes.space != tuple(range(len(source.full_shape))):
        return {}  # they may be about axes that labels lack
    dropped = (*_OF_VALUES, *_OF_N5)
    return {key: value for key, value in source.attributes.items() if key not in dropped}


def _open(driver: str, folder: Path, more: Mapping[str, Any]) -> Any:
    needed("tensorstore", by="a volume of labels")
    import tensorstore

    return tensorstore.open(
        {
            "driver": "zarr" if driver == HDF5 else driver,
            "kvstore": {"driver": "file", "path": str(folder)},
            "open": True,
            **({"create": True} if more else {}),
            **more,
        }
    ).result()


@dataclass(frozen=True)
class Output:
    """An array in the workspace, of one resolution."""

    driver: str
    folder: Path

    @classmethod
    def of(cls, target: Target, folder: Path, level: int = 0) -> Output:
        """Return the array of a level."""
        output = folder / _OUTPUT
        return cls(target.driver, output / str(level) if target.is_image else output)

    def write(self, box: Box, labels: NDArray[Any]) -> None:
        """Write the labels of a box, whose chunks no other one shares."""
        array = self._array()
        try:
            array[box.slices].write(labels.astype(LABEL_TYPE, copy=False)).result()
        except (ValueError, OSError) as error:
            raise _failure(self.folder, "written", error) from None

    def read(self, box: Box, step: int = 1) -> NDArray[Any]:
        """Return the labels of a box, every so many along each axis."""
        chosen = tuple(slice(each.start, each.stop, step) for each in box.slices)
        try:
            return np.asarray(self._array()[chosen].read().result())
        except (ValueError, OSError) as error:
            raise _failure(self.folder, "read", error) from None

    def _array(self) -> Any:
        array = _open(self.driver, self.folder, {})
        return array.T if self.driver == "n5" else array


def _failure(folder: Path, verb: str, error: Exception) -> OSError | ValueError:
    reason = " ".join(str(error).split())
    if "No space left" in reason or "ENOSPC" in reason:
        return OSError(
            f"{folder}: no space left on the disk; make room, and the same command goes on"
        )
    return ValueError(f"{folder}: cannot be {verb} ({reason[:200]})")


def publish(target: Target, folder: Path, grid: BlockGrid) -> None:
    """Move the labels from the workspace to their place."""
    output = folder / _OUTPUT
    if target.driver == HDF5:
        if output.exists():
            _copy_to_hdf5(target, Output.of(target, folder), grid)
            shutil.rmtree(output)
        return
    if not output.exists():  # a run that was killed has moved them
        return
    target.place.parent.mkdir(parents=True, exist_ok=True)
    if target.place != target.path:
        mark_group(target)
    output.rename(target.place)


def mark_group(target: Target) -> None:
    """Say that the folder around the array is a group, if nothing does."""
    name, document = {
        "zarr": (".zgroup", {"zarr_format": 2}),
        "zarr3": ("zarr.json", {"zarr_format": 3, "node_type": "group"}),
        "n5": ("attributes.json", {"n5": "2.0.0"}),
    }[target.driver]
    if not (target.path / name).exists():
        write_whole(target.path / name, json.dumps(document))


def _copy_to_hdf5(target: Target, labels: Output, grid: BlockGrid) -> None:
    """Write a dataset box by box, and keep all others in the file."""
    needed("h5py", by=f"{target.path}: an HDF5 file")
    name = target.dataset or _DATASET
    with open_target(target.path) as file:
        if target.path.is_file():
            with target.path.open("rb") as former:
                shutil.copyfileobj(former, file, 1 << 24)
            file.seek(0)
        with edit_hdf5(file, "r+" if target.path.is_file() else "w") as opened:
            array = opened.create_dataset(
                name,
                shape=grid.shape,
                dtype=LABEL_TYPE,
                chunks=target.chunks,
                compression="gzip",
                compression_opts=1,
            )
            for block in range(len(grid)):
                box = grid.box(block)
                array[box.slices] = labels.read(box)


def check_free(target: Target) -> None:
    """Raise an error if something else is in the place of the labels."""
    if target.driver == HDF5:
        if target.path.is_file() and _has_dataset(target):
            raise FileExistsError(f"{target}: exists already; choose another name")
        return
    if target.place.exists() and (not target.place.is_dir() or any(target.place.iterdir())):
        raise FileExistsError(f"{target.place}: exists already; choose another name or remove it")


def _has_dataset(target: Target) -> bool:
    needed("h5py", by=f"{target.path}: an HDF5 file")
    import h5py

    with h5py.File(target.path, "r") as file:
        return (target.dataset or _DATASET) in file
