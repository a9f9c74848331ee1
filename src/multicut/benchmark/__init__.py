"""Side-by-side measurements of our solvers and those of other packages."""

from multicut.benchmark.contests import CONTESTS, Contest
from multicut.benchmark.instances import EdgeArrays, InstanceSet, list_instance_sets
from multicut.benchmark.report import Report, write_report
from multicut.benchmark.run import Row, plan_runs, run_benchmark

__all__ = [
    "CONTESTS",
    "Contest",
    "EdgeArrays",
    "InstanceSet",
    "Report",
    "Row",
    "list_instance_sets",
    "plan_runs",
    "run_benchmark",
    "write_report",
]
