"""Labels: solving every graph of a generated dataset, on many processes, and picking up again."""

from multicut.datasets.labelling.job import Job
from multicut.datasets.labelling.run import run_job

__all__ = ["Job", "run_job"]
