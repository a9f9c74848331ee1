"""Networks that solve multicut problems, and what trains and rounds them."""

from multicut.nn.batch import GraphBatch

__all__ = ["GraphBatch"]
