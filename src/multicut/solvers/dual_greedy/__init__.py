"""Greedy contraction guided by a dual, and the constants that it runs with."""

from multicut.solvers.dual_greedy.policy import Policy, list_policies, load_policy

__all__ = ["Policy", "list_policies", "load_policy"]
