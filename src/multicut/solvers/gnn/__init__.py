"""The solver ``gnn``: one forward pass of a network, then rounding."""
