"""Networks on graphs of another kind than they were trained on, without labels."""

from __future__ import annotations

import copy
from collections.abc import Iterable

import torch
from torch import nn
from torch.optim.swa_utils import update_bn

from multicut._groups import grouped
from multicut.nn.batch import GraphBatch
from multicut.nn.model import Model
from multicut.nn.threads import threads_for
from multicut.problem import Problem

# Edges of graphs that are normalised together. States of more would fill the memory of a processor.
_EDGES_PER_PASS = 2**17


def adapt(model: Model, graphs: Problem | GraphBatch | Iterable[Problem]) -> Model:
    """Return the model with the statistics of batch normalisation of other graphs.

    Batch normalisation brings states to the mean and the deviation that they had in training. On
    graphs of another kind, for example with more neighbours, states differ, and predictions may
    become far worse. This function measures the statistics anew, with passes over the graphs. It
    needs no solutions and changes no weights.

    Parameters
    ----------
    model
        A model with batch normalisation; it stays as it is.
    graphs
        Graphs like those that it will be used on. Statistics are means over passes of up to 131,072
        edges.

    Returns
    -------
    Model
        A new model. Its card names the number of graphs and edges as ``adapted_to``.

    Examples
    --------
    >>> import multicut as mc
    >>> from multicut.nn import adapt
    >>> model = mc.load_model("gin0_w_bn-irismp")
    >>> graphs = mc.datasets.generate("randommp", 10)
    >>> adapted = adapt(model, graphs)
    >>> results = mc.solve_batch(graphs, "gnn", model=adapted)
    """
    if not isinstance(model, Model):
        raise TypeError(
            f"model must be a multicut.nn.Model, got {type(model).__name__}; "
            f"multicut.load_model(NAME) returns one"
        )
    if not any(isinstance(module, nn.BatchNorm1d) for module in model.network.modules()):
        raise ValueError(
            f"model must have batch normalisation, which {model.name or 'this model'} lacks; "
            f"there is nothing to adapt"
        )
    # Of a pass without an edge, there is no deviation to measure.
    batches = [batch for batch in _batches(model, graphs) if batch.num_edges > 0]
    if not batches:
        raise ValueError("graphs must have edges, got none; give graphs like those to be solved")
    num_edges = sum(batch.num_edges for batch in batches)
    adapted = Model(copy.deepcopy(model.network), model.card, name=f"{model.name} (adapted)")
    adapted.cost_scale = model.cost_scale
    with threads_for(num_edges, model.width, model.device), torch.no_grad():
        update_bn([model.scaled(batch) for batch in batches], adapted.network)
    num_graphs = sum(batch.num_graphs for batch in batches)
    adapted.card["adapted_to"] = {"graphs": num_graphs, "edges": num_edges}
    return adapted.eval()


def _batches(model: Model, graphs: Problem | GraphBatch | Iterable[Problem]) -> list[GraphBatch]:
    """Put graphs side by side on the device of the model, a pass at a time."""
    if isinstance(graphs, Problem | GraphBatch):
        return [model.batch(graphs)]
    if not isinstance(graphs, Iterable):
        raise TypeError(f"graphs must be problems or a GraphBatch, got {type(graphs).__name__}")
    return [
        GraphBatch.from_problems(some, device=model.device, dtype=model.dtype)
        for some in grouped(graphs, _num_edges, _EDGES_PER_PASS)
    ]


def _num_edges(problem: Problem) -> int:
    if not isinstance(problem, Problem):
        raise TypeError(f"graphs must be multicut.Problem, got {type(problem).__name__}")
    return problem.num_edges
