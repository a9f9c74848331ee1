"""Search for the constants of the solver ``dual-greedy``."""

from multicut.training.policy.search import search_policy
from multicut.training.policy.settings import PolicySettings, SearchedPolicy

__all__ = ["PolicySettings", "SearchedPolicy", "search_policy"]
