"""Segmentation of images: superpixels, region graphs, costs, segmentations.

One call performs all steps::

    import multicut as mc

    image = mc.vision.read_image("photo.jpg")
    segmentation = mc.vision.segment(image)
    mc.vision.write_image("segments.png", mc.vision.boundary_overlay(image, segmentation.labels))

Superpixels come from scikit-image, which is imported when it is first needed; region graphs are
built natively.
"""

from typing import TYPE_CHECKING, Any

from multicut._provided import provided
from multicut.vision.costs import BoundaryCosts, ColourCosts, Costs, list_costs, log_odds
from multicut.vision.files import (
    list_array_formats,
    read_image,
    read_volume,
    write_image,
    write_labels,
)
from multicut.vision.ground_truth import read_ground_truth
from multicut.vision.image_proofreader import ImageProofreader
from multicut.vision.label_colours import label_colours
from multicut.vision.lifted import lift_by_classes, lifted_neighbourhood
from multicut.vision.mutex_watershed import mutex_watershed, semantic_mutex_watershed
from multicut.vision.napari_layers import to_napari
from multicut.vision.pictures import boundary_overlay, graph_picture, mean_colours, side_by_side
from multicut.vision.pixel_problem import PixelProblem, affinity_problem
from multicut.vision.presets import Preset, list_presets
from multicut.vision.region_graph import RegionGraph, region_graph
from multicut.vision.region_problem import RegionProblem, region_problem
from multicut.vision.regions import region_centres, region_means
from multicut.vision.samples import list_samples, sample_image
from multicut.vision.scores import Scores, evaluate
from multicut.vision.segment import segment, solve_regions
from multicut.vision.segmentation import Segmentation
from multicut.vision.superpixels import (
    BoundaryWatershed,
    Felzenszwalb,
    Slic,
    Superpixels,
    Watershed,
    list_superpixels,
)

if TYPE_CHECKING:
    from multicut.distributed.volume import segment_blockwise

__all__ = [
    "BoundaryCosts",
    "BoundaryWatershed",
    "ColourCosts",
    "Costs",
    "Felzenszwalb",
    "ImageProofreader",
    "PixelProblem",
    "Preset",
    "RegionGraph",
    "RegionProblem",
    "Scores",
    "Segmentation",
    "Slic",
    "Superpixels",
    "Watershed",
    "affinity_problem",
    "boundary_overlay",
    "evaluate",
    "graph_picture",
    "label_colours",
    "lift_by_classes",
    "lifted_neighbourhood",
    "list_array_formats",
    "list_costs",
    "list_presets",
    "list_samples",
    "list_superpixels",
    "log_odds",
    "mean_colours",
    "mutex_watershed",
    "read_ground_truth",
    "read_image",
    "read_volume",
    "region_centres",
    "region_graph",
    "region_means",
    "region_problem",
    "sample_image",
    "segment",
    "segment_blockwise",
    "semantic_mutex_watershed",
    "side_by_side",
    "solve_regions",
    "to_napari",
    "write_image",
    "write_labels",
]


def __getattr__(name: str) -> Any:
    """Fetch what a higher layer provides when it is first used."""
    if name == "segment_blockwise":
        return provided(name)()
    raise AttributeError(f"module 'multicut.vision' has no attribute {name!r}")


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
