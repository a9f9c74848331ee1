"""Networks on graphs of another kind than they were trained on, without solutions."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator

import numpy as np
import torch
from torch import nn

from multicut._groups import grouped
from multicut.nn.batch import GraphBatch
from multicut.nn.model import Model
from multicut.nn.threads import threads_for
from multicut.problem import Problem

# Edges of problems that are normalised together. States of more would fill the memory.
_EDGES_PER_PASS = 2**17
# What a card says of the quality of a network, which is another one with other statistics.
_OF_THE_OLD_STATISTICS = ("validation", "test", "sha256")


def adapt(model: Model, problems: Problem | GraphBatch | Iterable[Problem]) -> Model:
    """Return the model with the statistics of batch normalisation of other graphs.

    Batch normalisation subtracts the mean that states had in training, and divides by their
    deviation. On graphs of another kind states have others, and predictions may become far worse.
    This function measures both anew. It needs no solutions and changes no weights.

    Parameters
    ----------
    model
        A model with batch normalisation; it stays as it is.
    problems
        Graphs like those that it will be used on, many or a large one. Many are taken in passes of
        up to 131,072 edges; statistics are means over passes, weighted by their nodes. A batch is
        one pass.

    Returns
    -------
    Model
        A new model. Its card names the number of graphs and edges as ``adapted_to``, and does not
        have the ratios of before.

    Examples
    --------
    >>> import multicut as mc
    >>> from multicut.nn import adapt
    >>> model = mc.load_model("gin0_w_bn-irismp")
    >>> problems = mc.datasets.generate("randommp", 10)
    >>> adapted = adapt(model, problems)
    >>> results = mc.solve_batch(problems, "gnn", model=adapted)
    """
    if not isinstance(model, Model):
        raise TypeError(
            f"model must be a multicut.nn.Model, got {type(model).__name__}; "
            f"multicut.load_model(NAME) returns one"
        )
    network = copy.deepcopy(model.network)
    norms = [module for module in network.modules() if isinstance(module, nn.BatchNorm1d)]
    if not norms:
        raise ValueError(
            f"model must have batch normalisation, which {model.name or 'this model'} lacks; "
            f"there is nothing to adapt"
        )
    momenta = [norm.momentum for norm in norms]
    for norm in norms:
        norm.reset_running_stats()
    network.train()
    num_graphs = num_nodes = num_edges = 0
    for batch in _passes(model, problems):
        if batch.num_edges == 0:  # without an edge there is nothing to predict
            continue
        num_graphs += batch.num_graphs
        num_nodes += batch.num_nodes
        num_edges += batch.num_edges
        for norm in norms:
            norm.momentum = batch.num_nodes / num_nodes
        with threads_for(batch.num_edges, model.width, model.device), torch.no_grad():
            network(model.scaled(batch))
    if num_edges == 0:
        raise ValueError("problems must have edges, got none; give some like those to be solved")
    for norm, momentum in zip(norms, momenta, strict=True):
        norm.momentum = momentum
    card = {key: value for key, value in model.card.items() if key not in _OF_THE_OLD_STATISTICS}
    card["adapted_to"] = {"graphs": num_graphs, "edges": num_edges}
    adapted = Model(network, card, name=f"{model.name} (adapted)" if model.name else "")
    adapted.cost_scale = model.cost_scale
    return adapted.eval()


def _passes(
    model: Model, problems: Problem | GraphBatch | Iterable[Problem]
) -> Iterator[GraphBatch]:
    """Put problems side by side on the device of the model, one pass after the other."""
    if isinstance(problems, GraphBatch):
        if problems.padding is not None:
            raise ValueError("problems must not be a padded batch; make one of the graphs alone")
        yield model.batch(problems)
        return
    if isinstance(problems, Problem):
        problems = [problems]
    if not isinstance(problems, Iterable):
        raise TypeError(f"problems must be problems or a GraphBatch, got {type(problems).__name__}")
    for some in grouped(_checked(problems), lambda problem: problem.num_edges, _EDGES_PER_PASS):
        yield GraphBatch.from_problems(some, device=model.device, dtype=model.dtype)


def _checked(problems: Iterable[Problem]) -> Iterator[Problem]:
    for i, problem in enumerate(problems):
        if not isinstance(problem, Problem):
            raise TypeError(f"problems must be multicut.Problem, got {type(problem).__name__}")
        if not np.isfinite(problem.costs).all():
            edge = int(np.flatnonzero(~np.isfinite(problem.costs))[0])
            raise ValueError(
                f"problems must have finite costs, got {problem.costs[edge]} at edge {edge} of "
                f"problem {i}; leave out must-links and cannot-links"
            )
        yield problem
