"""Search on a device: contraction, moves of nodes, fusion moves; with or without a network."""
