"""Figures: each function draws into one matplotlib axes and returns it."""

from multicut.plotting.palette import cluster_colours
from multicut.plotting.plot_dataset import plot_dataset
from multicut.plotting.plot_embedding import plot_embedding, plot_similarity
from multicut.plotting.plot_frontier import FrontierPoint, plot_frontier
from multicut.plotting.plot_problem import plot_problem
from multicut.plotting.plot_solution import plot_solution

__all__ = [
    "FrontierPoint",
    "cluster_colours",
    "plot_dataset",
    "plot_embedding",
    "plot_frontier",
    "plot_problem",
    "plot_similarity",
    "plot_solution",
]
