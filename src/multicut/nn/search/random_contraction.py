"""Random stages of a solve, from graphs whose solution is known."""

from __future__ import annotations

import torch

from multicut.nn.batch import GraphBatch
from multicut.nn.search.contraction import contract


def contract_at_random(batch: GraphBatch, generator: torch.Generator) -> GraphBatch:
    """Contract some of the edges that the solution does not cut; it stays the solution.

    How many varies from graph to graph, from none to all. In half of the graphs they are chosen
    blindly; in the others attractive edges come first, by and large, as they do in a solver.

    Parameters
    ----------
    batch
        The graphs, with solutions.
    generator
        Where random numbers come from, on the device of the batch.
    """
    if batch.cut is None:
        raise ValueError("the batch has no cut; only graphs with a solution can be contracted")
    graphs, device = batch.graph_of_edge(), batch.device
    of_graphs = torch.rand(2, batch.num_graphs, generator=generator, device=device)
    share, is_blind = of_graphs[0][graphs], (of_graphs[1] < 0.5)[graphs]
    noise = torch.rand(batch.num_edges, generator=generator, device=device)
    attraction = batch.costs.clamp(min=0).float()
    strongest = attraction.new_zeros(batch.num_graphs).scatter_reduce(0, graphs, attraction, "amax")
    strength = attraction / strongest.clamp(min=torch.finfo(torch.float32).tiny)[graphs]
    turn = torch.where(is_blind, noise, 1 - strength * (0.7 + 0.6 * noise))
    return contract(batch, (batch.cut < 0.5) & (turn < share)).batch
