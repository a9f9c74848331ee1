"""Problems whose truth is known."""

from __future__ import annotations

import numpy as np

import multicut as mc


def planted(num_nodes: int = 120, num_clusters: int = 8, bias: float = 0.0, seed: int = 0):
    """A hidden partition seen through noise: (problem, labels, features of edges).

    The second feature says more than the cost does, which is biased.
    """
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, num_clusters, num_nodes)
    u, v = np.triu_indices(num_nodes, 1)
    chosen = rng.random(len(u)) * (num_nodes - 1) < 10
    edges = np.stack([u, v], axis=1)[chosen]
    same = truth[edges[:, 0]] == truth[edges[:, 1]]
    sign = np.where(same, 1.0, -1.0)
    costs = sign + rng.normal(0, 1.0, len(edges)) + bias
    features = np.stack([costs, sign + rng.normal(0, 0.7, len(edges))], axis=1)
    return mc.Problem(edges, costs, num_nodes=num_nodes), truth, features


def answer(proof: mc.Proofreader, truth, u: int, v: int) -> None:
    """Correct, or confirm, one edge as in the truth."""
    (proof.join if truth[u] == truth[v] else proof.separate)(u, v)


def num_errors(proof: mc.Proofreader, truth) -> int:
    """The edges that are treated otherwise than in the truth."""
    u, v = proof.problem.edges.T
    return int(((proof.labels[u] == proof.labels[v]) != (truth[u] == truth[v])).sum())
