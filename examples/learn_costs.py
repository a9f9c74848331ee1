"""Learn edge costs from features, end to end through the multicut.

Points belong to clusters, which lie in two rows. Clusters of one row overlap; their colours differ.
A cluster of the upper row and the one below it have the same colour, and a chain of a few points
joins them. Every link has two features: the difference of colours, and a contrast. Contrast is
strong where a chain passes from one cluster to the next, but also on some links inside clusters, as
texture is. There are more of those, so on a single link strong contrast hardly tells of a border.
But inside a cluster many other links hold a point, while a chain has no other.

A small network turns the features of a link into a cost. What is a good cost is learned from known
clusters, in four ways:

* edge by edge: the cost is the log-odds of the edge not being cut, and neighbours do not matter;
* the same, with the one number added to all costs that is best for the solver on training graphs;
* through a network: from there on, costs go through a multicut layer, which sees the whole graph,
  and the gradient of the loss on its output comes back through the layer;
* through the solver: the solver partitions each graph with noise on its costs, and the gradient of
  the mean error of these partitions comes back through a solver layer.

On graphs not seen in training, the clusters found are compared with the true ones by the adjusted
Rand index: 1 is perfect, 0 is chance. "rounded" is what the signs of costs or the network's output
round to, "klj" what the solver KLj finds for the costs.

    python examples/learn_costs.py
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from scipy.spatial import cKDTree
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy, binary_cross_entropy_with_logits

import multicut as mc
from multicut.nn import GraphBatch, MulticutLayer, NetworkConfig, round_scores
from multicut.training import SolverLayer

NUM_COLUMNS = 3
COLOUR_NOISE = 0.3
TEXTURE = 0.15

Scores = dict[str, float]


@dataclass(frozen=True)
class PointGraph:
    """Links between points with their features, and the true clusters."""

    features: Tensor  # (m, 2): difference of colours, contrast
    edges: Tensor  # (2, m)
    clusters: np.ndarray  # (n,)

    @property
    def target(self) -> Tensor:
        """Which edges are to be cut."""
        labels = torch.from_numpy(self.clusters)
        return (labels[self.edges[0]] != labels[self.edges[1]]).float()

    def error(self, labels: np.ndarray) -> float:
        """One minus the adjusted Rand index of a partition."""
        return 1 - adjusted_rand_index(labels, self.clusters)


def make_graph(rng: np.random.Generator) -> PointGraph:
    """Draw two rows of clusters, link neighbours in each row, and add a chain in each column."""
    column_colours = rng.permutation([-1.2, 0.0, 1.2]) + rng.normal(0, 0.2, NUM_COLUMNS)
    pairs: list[np.ndarray] = []
    clusters: list[int] = []
    for row in range(2):
        sizes = rng.integers(18, 26, NUM_COLUMNS)
        columns = np.repeat(np.arange(NUM_COLUMNS), sizes)
        points = rng.normal(0, 0.55, (len(columns), 2)) + 1.5 * columns[:, None] * [1, 0]
        _, near = cKDTree(points).query(points, k=6)
        links = np.stack([np.repeat(near[:, 0], 5), near[:, 1:].ravel()], axis=1)
        pairs.append(links + len(clusters))
        clusters += (columns + row * NUM_COLUMNS).tolist()
    ends = np.array(clusters)
    for column in range(NUM_COLUMNS):
        upper, lower = column, column + NUM_COLUMNS
        length = int(rng.integers(2, 5))
        first, last = (rng.choice(np.flatnonzero(ends == each)) for each in (upper, lower))
        path = np.array([first, *range(len(clusters), len(clusters) + length), last])
        pairs.append(np.stack([path[:-1], path[1:]], axis=1))
        border = int(rng.integers(1, length))
        clusters += [upper] * border + [lower] * (length - border)
    truth = np.array(clusters)
    colours = column_colours[truth % NUM_COLUMNS] + rng.normal(0, COLOUR_NOISE, len(truth))
    edges = np.unique(np.sort(np.concatenate(pairs), axis=1), axis=0)
    cut = truth[edges[:, 0]] != truth[edges[:, 1]]
    same_column = np.equal(*(truth[edges] % NUM_COLUMNS).T)
    is_texture = ~cut & (rng.random(len(edges)) < TEXTURE)
    contrast = (cut & same_column) | is_texture
    features = np.stack(
        [np.abs(np.diff(colours[edges])[:, 0]), contrast + rng.normal(0, 0.3, len(edges))], axis=1
    )
    return PointGraph(
        torch.tensor(features, dtype=torch.float32), torch.from_numpy(edges.T.copy()), truth
    )


class CostNetwork(nn.Module):
    """From the features of an edge to its cost."""

    def __init__(self) -> None:
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, graph: PointGraph) -> Tensor:
        """Return one cost per edge."""
        costs: Tensor = self.mlp(graph.features)[:, 0]
        return costs


def batches(graphs: list[PointGraph], epochs: int, size: int = 10) -> Iterator[PointGraph]:
    """Draw graphs in random order, `size` at a time as one graph of unconnected parts."""
    for _ in range(epochs):
        order = torch.randperm(len(graphs)).tolist()
        for begin in range(0, len(graphs), size):
            some = [graphs[i] for i in order[begin : begin + size]]
            first = np.cumsum([0, *(len(graph.clusters) for graph in some)])
            yield PointGraph(
                torch.cat([graph.features for graph in some]),
                torch.cat([g.edges + at for g, at in zip(some, first, strict=False)], dim=1),
                # No edge joins two graphs, so their clusters may share numbers.
                np.concatenate([graph.clusters for graph in some]),
            )


def train_edge_by_edge(graphs: list[PointGraph], epochs: int) -> CostNetwork:
    """Fit the log-odds of each edge on its own: logistic regression on learned features."""
    costs = CostNetwork()
    optimizer = torch.optim.Adam(costs.parameters(), lr=1e-2)
    for graph in batches(graphs, epochs):
        loss = binary_cross_entropy_with_logits(-costs(graph), graph.target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return costs


def train_end_to_end(
    graphs: list[PointGraph], epochs: int, start: CostNetwork
) -> tuple[CostNetwork, MulticutLayer]:
    """Fit what the multicut layer makes of the costs; both learn from one loss."""
    costs = copy.deepcopy(start)
    layer = MulticutLayer(NetworkConfig("gcn_w", width=32, depth=6, classifier_width=64))
    optimizer = torch.optim.Adam([*costs.parameters(), *layer.parameters()], lr=3e-3)
    for graph in batches(graphs, epochs):
        probabilities = layer(graph.edges, costs(graph), len(graph.clusters))
        loss = binary_cross_entropy(probabilities, graph.target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return costs, layer.eval()


def train_through_the_solver(
    graphs: list[PointGraph], epochs: int, start: CostNetwork, size: int = 10
) -> CostNetwork:
    """Lower the mean error of the partitions that KLj finds for noisy costs."""
    costs = copy.deepcopy(start)
    layer = SolverLayer("klj", noise=0.5, num_samples=16)
    optimizer = torch.optim.Adam(costs.parameters(), lr=3e-2)
    steps = epochs * -(-len(graphs) // size)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(epochs):
        order = torch.randperm(len(graphs)).tolist()
        for begin in range(0, len(graphs), size):
            optimizer.zero_grad()
            for i in order[begin : begin + size]:
                graph = graphs[i]
                loss = layer.expected_loss(
                    graph.edges, costs(graph), len(graph.clusters), graph.error
                )
                (loss / size).backward()
            optimizer.step()
            schedule.step()
    return costs


def with_best_offset(graphs: list[PointGraph], start: CostNetwork) -> CostNetwork:
    """Add one number to all costs, the best of a few for KLj on the given graphs."""

    def shifted(offset: float) -> CostNetwork:
        costs = copy.deepcopy(start)
        last = costs.mlp[2]
        assert isinstance(last, nn.Linear)
        last.bias.data += offset
        return costs

    def error(costs: CostNetwork) -> float:
        return float(np.mean([graph.error(partitions(graph, costs)["klj"]) for graph in graphs]))

    return min(map(shifted, np.linspace(-4, 3, 29)), key=error)


def adjusted_rand_index(labels: np.ndarray, truth: np.ndarray) -> float:
    """Agreement of two partitions on pairs of points, corrected for chance."""
    table = np.zeros((labels.max() + 1, truth.max() + 1))
    np.add.at(table, (labels, truth), 1)

    def pairs(counts: np.ndarray) -> float:
        return float((counts * (counts - 1) / 2).sum())

    rows, columns, both = pairs(table.sum(1)), pairs(table.sum(0)), pairs(table)
    chance = rows * columns / pairs(np.array([len(labels)]))
    return (both - chance) / ((rows + columns) / 2 - chance)


@torch.no_grad()
def partitions(
    graph: PointGraph, costs: CostNetwork, layer: MulticutLayer | None = None
) -> dict[str, np.ndarray]:
    """Cluster a graph by its costs: with the layer or by their signs alone, and with KLj."""
    values = costs(graph)
    if layer is None:
        batch = GraphBatch.from_edges(graph.edges, values, len(graph.clusters))
        rounded = round_scores(batch, torch.sigmoid(-values))
    else:
        rounded = layer.partition(graph.edges, values, len(graph.clusters))
    problem = mc.Problem(graph.edges.T.numpy(), values.numpy(), num_nodes=len(graph.clusters))
    return {
        "rounded": rounded.labels.numpy(),
        "klj": mc.solve(problem, "klj").labels,
    }


def main(num_train: int = 120, num_test: int = 300, epochs: int = 20, seed: int = 0) -> Scores:
    """Train in all ways and print how well held-out points are clustered."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    train = [make_graph(rng) for _ in range(num_train)]
    test = [make_graph(rng) for _ in range(num_test)]
    untrained = CostNetwork()
    # Longer than it takes to converge, so that what is gained later is not due to more training.
    alone = train_edge_by_edge(train, 4 * epochs)
    offset = with_best_offset(train, alone)
    together, layer = train_end_to_end(train, epochs, start=alone)
    # A pass over the graphs takes longer here: each is solved sixteen times. Where no noisy cost
    # changes the partition there is nothing to learn from, so it begins with the best offset.
    solved = train_through_the_solver(train, max(1, 2 * epochs // 3), start=offset)
    scores: Scores = {}
    for name, (costs, its_layer) in (
        ("before training", (untrained, None)),
        ("edge by edge", (alone, None)),
        ("edge by edge, offset", (offset, None)),
        ("through a network", (together, layer)),
        ("through the solver", (solved, None)),
    ):
        found = [partitions(graph, costs, its_layer) for graph in test]
        for way in ("rounded", "klj"):
            indices = [
                adjusted_rand_index(labels[way], graph.clusters)
                for labels, graph in zip(found, test, strict=True)
            ]
            scores[f"{name}, {way}"] = float(np.mean(indices))
    print(f"adjusted Rand index on {num_test} held-out graphs")
    for name, score in scores.items():
        print(f"  {name:<29} {score:.3f}")
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-train", type=int, default=120)
    parser.add_argument("--num-test", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    main(**vars(parser.parse_args()))
