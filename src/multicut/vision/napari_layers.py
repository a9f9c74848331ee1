"""Segmentations as layers of napari, without napari."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.proofreading import edge_margins
from multicut.vision.image_proofreader import ImageProofreader

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Data, options of the layer, and its kind: what napari calls ``LayerDataTuple``.
Layer = tuple[Any, dict[str, Any], str]

_COLOURS = (3, 4)


def to_napari(proof: ImageProofreader, *, uncertainty: bool = True) -> list[Layer]:
    """Return an image, its regions, its segments and their uncertainty as layers of napari.

    napari itself is not needed; in a viewer add them with
    ``for layer in to_napari(proof): viewer.add_layer(napari.layers.Layer.create(*layer))``.
    Labels are those of the segmentation plus one, since 0 is transparent in napari. Segments keep
    their numbers, and with them their colours, while corrections do not change them.

    Parameters
    ----------
    proof
        The segmentation to proofread. The layer of segments holds it as ``metadata["proof"]``.
    uncertainty
        Whether to compute how sure each border is, which takes a pass over all edges.
    """
    if not isinstance(proof, ImageProofreader):
        raise TypeError(
            f"proof must be a multicut.vision.ImageProofreader, which knows the image, "
            f"got {type(proof).__name__}"
        )
    regions = proof.parts.superpixels
    image = proof.parts.image
    is_colour = image.ndim == regions.ndim + 1 and image.shape[-1] in _COLOURS
    layers: list[Layer] = [
        (image, {"name": "image", "rgb": is_colour}, "image"),
        (regions + 1, {"name": "regions", "visible": False, "opacity": 0.4}, "labels"),
    ]
    if uncertainty:
        options = {
            "name": "uncertainty",
            "visible": False,
            "colormap": "inferno",
            "blending": "additive",
            "contrast_limits": (0.0, 0.5),
        }
        layers.append((border_doubts(proof), options, "image"))
    segments = {"name": "segments", "opacity": 0.5, "metadata": {"proof": proof}}
    layers.append((proof.pixel_labels + 1, segments, "labels"))
    return layers


def border_doubts(proof: ImageProofreader) -> NDArray[np.float32]:
    """Return for pixels at borders of regions the probability that the border is treated wrongly.

    Elsewhere it is 0.
    """
    problem, regions = proof.problem, proof.parts.superpixels
    doubts = 1.0 - edge_margins(problem, proof.result).confidence
    size = problem.num_nodes
    keys = problem.edges.min(axis=1) * size + problem.edges.max(axis=1)
    order = np.argsort(keys, kind="stable")
    keys, doubts = keys[order], doubts[order]
    picture = np.zeros(regions.shape, dtype=np.float32)
    for axis in range(regions.ndim):
        ahead, shown = np.moveaxis(regions, axis, 0), np.moveaxis(picture, axis, 0)
        differ = (ahead[:-1] != ahead[1:]) & (ahead[:-1] >= 0) & (ahead[1:] >= 0)
        a, b = ahead[:-1][differ], ahead[1:][differ]
        wanted = np.minimum(a, b) * size + np.maximum(a, b)
        at = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = np.where(keys[at] == wanted, doubts[at], 0.0) if len(keys) else np.zeros(len(a))
        for side in (shown[:-1], shown[1:]):
            side[differ] = np.maximum(side[differ], found)
    return picture
