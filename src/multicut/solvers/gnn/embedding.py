"""What a network thinks of nodes: their states after its last layer."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from multicut.models.ready import ready_model
from multicut.solvers.gnn.inference import batch_of
from multicut.solvers.gnn.plain_problem import PlainProblem

if TYPE_CHECKING:
    from multicut._arrays import FloatArray, IntArray
    from multicut.nn.model import Model
    from multicut.problem import Problem


def embed_nodes(
    model: str | os.PathLike[str] | Model | None, problem: Problem, device: str | None = None
) -> tuple[FloatArray, IntArray]:
    """Return the states of nodes, shape (num_nodes, width), and the clusters of the network.

    The clusters are those of one pass and rounding, as the solver ``gnn`` finds them. Nodes that
    a must-link joins share a state.
    """
    import torch

    from multicut.nn.rounding import round_scores
    from multicut.nn.threads import threads_for

    loaded = ready_model(model, device)
    plain = PlainProblem.of(problem, loaded.is_scale_free)
    size = (plain.problem.num_edges, loaded.width, loaded.device)
    with threads_for(*size), torch.inference_mode():
        batch = batch_of([plain], loaded)
        scaled = loaded.scaled(batch)
        nodes, edges = loaded.network.represent(scaled)
        logits = loaded.network.classify(scaled, nodes, edges)  # type: ignore[arg-type]
        labels = round_scores(batch, logits, threshold=0.0).labels.cpu().numpy()
        states = nodes.double().cpu().numpy()
    original = plain.lift(np.arange(len(states)))
    return states[original], plain.lift(labels)
