"""Datasets: generators, labels, corpora, and the container that holds them.

The same seed gives the same problems everywhere.
"""

from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.corpora import (
    list_corpora,
    open_dataset,
    read_corpus,
    read_file,
    read_folder,
)
from multicut.datasets.dataset import Dataset
from multicut.datasets.generate import draw_graph, generate
from multicut.datasets.generators import get_generator, list_generators
from multicut.datasets.generators.irismp import irismp
from multicut.datasets.generators.randommp import randommp, randommp_points
from multicut.datasets.labelled import LabelledProblem
from multicut.datasets.labelling import Job, run_job
from multicut.datasets.mosaic import Mosaic, mosaic
from multicut.datasets.published import PUBLISHED
from multicut.datasets.shipped import IrisMP, RandomMP
from multicut.datasets.statistics import Statistics, describe_dataset

__all__ = [
    "PUBLISHED",
    "Dataset",
    "DatasetArrays",
    "IrisMP",
    "Job",
    "LabelledProblem",
    "Mosaic",
    "RandomMP",
    "Statistics",
    "describe_dataset",
    "draw_graph",
    "generate",
    "get_generator",
    "irismp",
    "list_corpora",
    "list_generators",
    "mosaic",
    "open_dataset",
    "randommp",
    "randommp_points",
    "read_corpus",
    "read_file",
    "read_folder",
    "run_job",
]


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
