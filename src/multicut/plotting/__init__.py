"""Figures: each function draws into one matplotlib axes and returns it.

Those with several panels return their figure.
"""

from multicut._extras import needed
from multicut.plotting.dataset import plot_dataset
from multicut.plotting.embedding import plot_embedding, plot_similarity
from multicut.plotting.frontier import FrontierPoint, plot_frontier
from multicut.plotting.image_cut import plot_image_cut
from multicut.plotting.palette import cluster_colours
from multicut.plotting.problem import plot_problem
from multicut.plotting.region_graph import plot_region_graph
from multicut.plotting.reliability import plot_reliability
from multicut.plotting.segmentation import plot_comparison, plot_segmentation
from multicut.plotting.segments import plot_segments
from multicut.plotting.solution import plot_solution
from multicut.plotting.trace import plot_trace

needed("matplotlib", by="multicut.plotting")

__all__ = [
    "FrontierPoint",
    "cluster_colours",
    "plot_comparison",
    "plot_dataset",
    "plot_embedding",
    "plot_frontier",
    "plot_image_cut",
    "plot_problem",
    "plot_region_graph",
    "plot_reliability",
    "plot_segmentation",
    "plot_segments",
    "plot_similarity",
    "plot_solution",
    "plot_trace",
]


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
