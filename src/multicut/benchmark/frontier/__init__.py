"""Quality against time: every solver in several settings, on every family of graphs."""

from multicut.benchmark.frontier.families import Family, find_families
from multicut.benchmark.frontier.measure import measure_family
from multicut.benchmark.frontier.page import write_page
from multicut.benchmark.frontier.settings import FrontierSettings

__all__ = ["Family", "FrontierSettings", "find_families", "measure_family", "write_page"]
