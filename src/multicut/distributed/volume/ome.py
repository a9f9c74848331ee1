"""The metadata of OME-Zarr, versions 0.4 and 0.5: axes, scales, pyramids."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut.vision.files.chunked import read_metadata


@dataclass(frozen=True)
class Multiscale:
    """An image at several resolutions, as the metadata of its group describe it.

    Attributes
    ----------
    version
        The version of the metadata, such as ``"0.4"``.
    axes
        One mapping for each axis, with `name`, and maybe `type` and `unit`.
    paths
        The arrays in the group, the finest first.
    scales, translations
        The size of a voxel of each array, and where its first voxel lies, along each axis.
    """

    version: str
    axes: tuple[Mapping[str, Any], ...]
    paths: tuple[str, ...]
    scales: tuple[tuple[float, ...], ...]
    translations: tuple[tuple[float, ...] | None, ...]

    @property
    def letters(self) -> str:
        """The names of the axes, one letter each."""
        return "".join(str(axis["name"])[:1].lower() for axis in self.axes)


def read_attributes(folder: Path) -> dict[str, Any]:
    """Return the attributes of a group or an array; none if it has none."""
    if (folder / "zarr.json").is_file():
        return dict(read_metadata(folder / "zarr.json").get("attributes", {}))
    for name in (".zattrs", "attributes.json"):
        if (folder / name).is_file():
            return dict(read_metadata(folder / name))
    return {}


def read_multiscale(folder: Path) -> Multiscale | None:
    """Return what a group says about the image in it, None if it is no image of OME-Zarr."""
    attributes = read_attributes(folder)
    found = attributes.get("ome", attributes)
    try:
        first = found["multiscales"][0]
        axes = tuple(
            {"name": axis} if isinstance(axis, str) else dict(axis) for axis in first["axes"]
        )
        datasets = first["datasets"]
        transforms = [each.get("coordinateTransformations", []) for each in datasets]
        return Multiscale(
            str(found.get("version", first.get("version", "0.4"))),
            axes,
            tuple(str(each["path"]) for each in datasets),
            tuple(_transform(each, "scale") or (1.0,) * len(axes) for each in transforms),
            tuple(_transform(each, "translation") for each in transforms),
        )
    except (KeyError, IndexError, TypeError, AttributeError):
        return None


def _transform(transforms: Sequence[Any], kind: str) -> tuple[float, ...] | None:
    for each in transforms:
        if each.get("type") == kind:
            return tuple(float(value) for value in each[kind])
    return None


def describe_labels(
    name: str,
    version: str,
    axes: Sequence[Mapping[str, Any]],
    scale: Sequence[float],
    translation: Sequence[float] | None,
    num_levels: int,
) -> dict[str, Any]:
    """Return the attributes of a group of labels, each level at half the resolution."""
    datasets = []
    for level in range(num_levels):
        transforms: list[dict[str, Any]] = [
            {"type": "scale", "scale": [value * 2**level for value in scale]}
        ]
        if translation is not None:
            transforms.append({"type": "translation", "translation": list(translation)})
        datasets.append({"path": str(level), "coordinateTransformations": transforms})
    image: dict[str, Any] = {"name": name, "axes": [dict(axis) for axis in axes]}
    if version == "0.5":
        return {
            "ome": {
                "version": version,
                "multiscales": [{**image, "datasets": datasets}],
                "image-label": {},
            }
        }
    return {
        "multiscales": [{"version": "0.4", **image, "datasets": datasets}],
        "image-label": {"version": "0.4"},
    }
