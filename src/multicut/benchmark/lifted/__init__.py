"""Lifted multicuts and agglomeration, side by side with ``bioimage-cpp``."""

from multicut.benchmark.lifted.contests import CONTESTS, LiftedContest
from multicut.benchmark.lifted.instances import list_lifted_sets
from multicut.benchmark.lifted.report import LiftedReport, write_lifted_report
from multicut.benchmark.lifted.run import LiftedRow, plan_lifted_runs, run_lifted_benchmark

__all__ = [
    "CONTESTS",
    "LiftedContest",
    "LiftedReport",
    "LiftedRow",
    "list_lifted_sets",
    "plan_lifted_runs",
    "run_lifted_benchmark",
    "write_lifted_report",
]
