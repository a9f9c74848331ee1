"""Exact solutions: reduction, the cycle relaxation, branch and cut."""
