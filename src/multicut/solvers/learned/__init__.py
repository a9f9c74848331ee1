"""The solver ``learned``: a network or greedy search, improved by classical stages."""
