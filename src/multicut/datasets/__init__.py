"""Datasets: generators, labels, corpora, and the container that holds them.

The same seed gives the same problems everywhere.
"""

from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.dataset import Dataset
from multicut.datasets.generate import draw_graph, generate
from multicut.datasets.generators import get_generator, list_generators
from multicut.datasets.generators.irismp import irismp
from multicut.datasets.generators.randommp import randommp, randommp_points
from multicut.datasets.labelled import LabelledProblem
from multicut.datasets.mosaic import Mosaic, mosaic

__all__ = [
    "Dataset",
    "DatasetArrays",
    "LabelledProblem",
    "Mosaic",
    "draw_graph",
    "generate",
    "get_generator",
    "irismp",
    "list_generators",
    "mosaic",
    "randommp",
    "randommp_points",
]
