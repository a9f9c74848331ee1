"""From an image to a multicut problem."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._arrays import frozen
from multicut.problem import Problem
from multicut.vision.costs import Costs, get_costs
from multicut.vision.files import read_image
from multicut.vision.image import as_picture
from multicut.vision.presets import BOUNDARIES, PHOTO, Preset, get_preset
from multicut.vision.region_graph import (
    RegionGraph,
    as_evidence,
    as_offsets,
    check_evidence,
    number_regions,
    region_graph,
)
from multicut.vision.superpixels import Superpixels, get_superpixels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from multicut._arrays import IntArray

_OUTSIDE = -1


@dataclass(frozen=True, eq=False)
class RegionProblem:
    """An image divided into regions, and the multicut problem of its region graph.

    Attributes
    ----------
    image
        The image or volume, as it was given.
    superpixels
        The region of each pixel, 0 … n-1, or -1 outside of the mask. Region i is node i of
        `problem`.
    graph
        The region graph, with the evidence along each edge.
    problem
        The multicut problem: edge i of `graph` is edge i of it.
    lifted_graph
        The regions that long-range affinities link, if these became lifted edges: edge i of it is
        lifted edge i of `problem`. Otherwise None.
    """

    image: NDArray[Any]
    superpixels: IntArray
    graph: RegionGraph
    problem: Problem
    lifted_graph: RegionGraph | None = field(default=None, kw_only=True)


def region_problem(
    image: ArrayLike,
    superpixels: str | Superpixels | ArrayLike | None = None,
    *,
    boundaries: ArrayLike | None = None,
    affinities: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    costs: str | Costs | None = None,
    bias: float = 0.5,
    connectivity: int | None = None,
    mask: ArrayLike | None = None,
    volume: bool | None = None,
    preset: str | None = None,
    lifted: bool = False,
) -> RegionProblem:
    """Divide an image into regions and compute the costs of the edges between them.

    The parameters are those of :func:`multicut.vision.segment`.
    """
    pixels = _as_pixels(image)
    boundaries, affinities, mask = (
        given if given is None else _as_pixels(given) for given in (boundaries, affinities, mask)
    )
    division = _as_division(superpixels)
    evidence = None if boundaries is None else as_evidence(boundaries, "boundaries")
    strength = None if affinities is None else as_evidence(affinities, "affinities")
    shape = _shape_of(division, evidence, strength)
    if volume is None and pixels.ndim == 3 and shape in (pixels.shape, pixels.shape[:-1]):
        volume = shape == pixels.shape
    picture = as_picture(pixels, volume=volume)
    _check_shapes(picture.shape, division, evidence, strength)
    if connectivity is not None and strength is not None:
        raise ValueError(
            "connectivity has no effect on affinities, whose offsets define neighbours"
        )
    chosen = _choose(preset, has_evidence=evidence is not None or strength is not None)
    inside = _as_mask(mask, picture.shape)

    if division is None:
        division = chosen.superpixels
    if isinstance(division, Superpixels):
        relief = _relief(evidence, strength, offsets, len(picture.shape))
        regions: NDArray[Any] = division.divide(picture, relief)
    else:
        regions = division
    outside = _OUTSIDE
    if inside is not None:
        regions, outside = _mask_out(regions, inside)
    near, far = (strength, offsets), None
    if lifted:
        near, far = _by_range(strength, offsets)
    graph = region_graph(
        regions,
        evidence if strength is None else None,
        affinities=near[0],
        offsets=near[1],
        connectivity=chosen.connectivity if connectivity is None else connectivity,
        ignore=outside,
    )
    numbers = number_regions(regions, graph, outside)
    weigh = _as_costs(costs, chosen)
    values = weigh.costs(picture, numbers, graph, bias)
    if far is None:
        problem = Problem(graph.edges, values, num_nodes=graph.num_regions)
        return RegionProblem(pixels, frozen(numbers), graph, problem)
    lifted_graph = region_graph(regions, affinities=far[0], offsets=far[1], ignore=outside)
    problem = Problem(
        graph.edges,
        values,
        num_nodes=graph.num_regions,
        lifted_edges=lifted_graph.edges,
        lifted_costs=weigh.costs(picture, numbers, lifted_graph, bias),
    )
    return RegionProblem(pixels, frozen(numbers), graph, problem, lifted_graph=lifted_graph)


_Channels = tuple["NDArray[Any] | None", "ArrayLike | None"]


def _by_range(
    affinities: NDArray[Any] | None, offsets: ArrayLike | None
) -> tuple[_Channels, _Channels]:
    """Divide channels of affinities into those between neighbouring pixels and the others."""
    if affinities is None:
        raise ValueError("lifted=True needs affinities, of which the long-range ones are lifted")
    steps = as_offsets(offsets, len(affinities), affinities.ndim - 1)
    is_near = np.abs(steps).sum(axis=1) == 1
    if not is_near.any():
        raise ValueError(
            "lifted=True needs offsets of length 1 as well: lifted edges connect no regions"
        )
    if is_near.all():
        raise ValueError("lifted=True needs offsets longer than 1, which lead to lifted edges")
    return (affinities[is_near], steps[is_near]), (affinities[~is_near], steps[~is_near])


def _as_pixels(image: ArrayLike | os.PathLike[str]) -> NDArray[Any]:
    """Return an array, or read one from a file."""
    if isinstance(image, str | os.PathLike):
        return read_image(image)
    array = np.asarray(image)
    if array.dtype.kind == "O":
        raise TypeError(f"image must be an array or the path of a file, got {type(image).__name__}")
    return array


def _as_division(
    superpixels: str | Superpixels | ArrayLike | None,
) -> Superpixels | NDArray[Any] | None:
    if superpixels is None or isinstance(superpixels, Superpixels):
        return superpixels
    is_file = isinstance(superpixels, str) and Path(superpixels).suffix != ""
    if isinstance(superpixels, str) and not is_file:
        return get_superpixels(superpixels)()
    array = _as_pixels(superpixels)
    if array.dtype.kind not in "iu":
        raise TypeError(
            f"superpixels must be a name, a record such as multicut.vision.Slic(), or an array of "
            f"integer labels, got {type(superpixels).__name__} of {array.dtype}"
        )
    if array.dtype.kind == "i" and array.min(initial=_OUTSIDE) < _OUTSIDE:
        raise ValueError(
            f"superpixels must be labels of at least 0, or -1 for pixels to leave out, "
            f"got {array.min()}"
        )
    return array


def _mask_out(regions: NDArray[Any], inside: NDArray[np.bool_]) -> tuple[NDArray[Any], int]:
    """Give the pixels outside of the mask a label of their own, and return that, too."""
    if regions.dtype.kind == "i" or regions.max(initial=0) <= np.iinfo(np.int64).max:
        return np.where(inside, regions.astype(np.int64, copy=False), _OUTSIDE), _OUTSIDE
    # Labels of 64 bits, often hashes, may leave no room for -1.
    largest = int(np.iinfo(np.uint64).max)
    unused = next(label for label in range(largest, 0, -1) if not (regions == label).any())
    return np.where(inside, regions, np.uint64(unused)), unused


def _as_costs(costs: str | Costs | None, preset: Preset) -> Costs:
    if costs is None:
        return preset.costs
    if isinstance(costs, Costs):
        return costs
    return get_costs(costs)()


def _choose(preset: str | None, *, has_evidence: bool) -> Preset:
    if preset is not None:
        return get_preset(preset)
    return BOUNDARIES if has_evidence else PHOTO


def _shape_of(
    division: Superpixels | NDArray[Any] | None,
    boundaries: NDArray[Any] | None,
    affinities: NDArray[Any] | None,
) -> tuple[int, ...] | None:
    """Return the spatial shape of the other arguments."""
    if isinstance(division, np.ndarray):
        return division.shape
    if boundaries is not None:
        return boundaries.shape
    return None if affinities is None else affinities.shape[1:]


def _check_shapes(
    shape: tuple[int, ...],
    division: Superpixels | NDArray[Any] | None,
    boundaries: NDArray[Any] | None,
    affinities: NDArray[Any] | None,
) -> None:
    given: dict[str, tuple[int, ...]] = {}
    if isinstance(division, np.ndarray):
        given["superpixels"] = division.shape
    if boundaries is not None:
        given["boundaries"] = boundaries.shape
    if affinities is not None:
        given["affinities"] = affinities.shape[1:]
    for name, other in given.items():
        if other != shape:
            channels = ", after the channels," if name == "affinities" else ""
            raise ValueError(f"{name} must have{channels} the image's shape {shape}, got {other}")


def _as_mask(mask: ArrayLike | None, shape: tuple[int, ...]) -> NDArray[np.bool_] | None:
    if mask is None:
        return None
    array = np.asarray(mask)
    if array.shape != shape:
        raise ValueError(f"mask must have the image's shape {shape}, got {array.shape}")
    inside: NDArray[np.bool_] = array != 0
    return inside


def _relief(
    boundaries: NDArray[Any] | None,
    affinities: NDArray[Any] | None,
    offsets: ArrayLike | None,
    ndim: int,
) -> NDArray[Any] | None:
    """Return the boundary probabilities that superpixels are made from, as floats."""
    if boundaries is not None:
        check_evidence(boundaries, "boundaries")
        return _as_floats(boundaries)
    if affinities is None:
        return None
    steps = as_offsets(offsets, len(affinities), ndim)
    near = np.flatnonzero(np.abs(steps).sum(axis=1) == 1)
    if len(near) == 0:
        raise ValueError(
            "none of the offsets leads to a neighbouring pixel, so there are no boundaries to make "
            "superpixels from; give superpixels or boundaries"
        )
    total = np.zeros(affinities.shape[1:], dtype=np.float32)
    for channel in near:
        check_evidence(affinities[channel], "affinities")
        total += _as_floats(affinities[channel])
    return 1 - total / len(near)


def _as_floats(evidence: NDArray[Any]) -> NDArray[Any]:
    return evidence / np.float32(255) if evidence.dtype == np.uint8 else evidence
