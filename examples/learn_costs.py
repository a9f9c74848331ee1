"""Learn edge costs from features, end to end through the multicut.

Points belong to clusters, which lie in two rows. Clusters of one row overlap; their colours differ.
A cluster of the upper row and the one below it have the same colour, and a chain of a few points
joins them. Every link has two features: the difference of colours, and a contrast. Contrast is
strong where a chain passes from one cluster to the next, and on some other links, as texture is.
There are more of those, so on a single link strong contrast hardly tells of a border. But inside a
cluster many other links hold a point, while a chain has no other.

A small network turns the features of a link into a cost. It is learned from known clusters, in
four ways:

* edge by edge: the cost is the log-odds of the edge not being cut, and neighbours do not matter;
* through a network: costs go through a multicut layer, which sees the whole graph, and the gradient
  of the loss on its output comes back through the layer. The log-odds that the layer puts out are
  also tried as costs;
* through a solver: the solver partitions each graph with noise on its costs, and the gradient of
  the mean error of these partitions comes back through a solver layer;
* by search: CMA-ES tries parameters of the network, and needs the error of partitions alone. It may
  call the solver as often as learning through it does.

A quarter of the training graphs is held out to choose settings. On other graphs, the clusters found
are compared with the true ones by the adjusted Rand index: 1 is perfect, 0 is chance. Clusters are
found as connected components of edges with positive costs, by GAEC and by KLj. For each of these,
the offset that is best on the held-out training graphs is added to all costs.

    python examples/learn_costs.py
    python examples/learn_costs.py --compare    # all gradients of the solver layer

Two options change the data: with `--num-nearest 5` learning through a solver gains less, and with
`--texture-inside` training can fail.
"""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from cmaes import CMA
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy, binary_cross_entropy_with_logits
from torch.nn.utils import parameters_to_vector, vector_to_parameters

import multicut as mc
from multicut.nn import MulticutLayer, NetworkConfig
from multicut.training import SolverLayer

NUM_COLUMNS = 3
NUM_NEAREST = 8
COLOUR_NOISE = 0.3
TEXTURE = 0.15

DECODERS = ("components", "gaec", "klj")
OFFSETS = np.linspace(-5, 3, 33)
LAST_NOISE = 0.1
NUM_SAMPLES = 16

Scores = dict[str, dict[str, float]]


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


def make_graph(
    rng: np.random.Generator, num_nearest: int = NUM_NEAREST, texture_inside: bool = False
) -> PointGraph:
    """Draw two rows of clusters, link neighbours in each row, and add a chain in each column.

    With `texture_inside`, links between clusters have no texture.
    """
    column_colours = rng.permutation([-1.2, 0.0, 1.2]) + rng.normal(0, 0.2, NUM_COLUMNS)
    pairs: list[np.ndarray] = []
    clusters: list[int] = []
    for row in range(2):
        sizes = rng.integers(18, 26, NUM_COLUMNS)
        columns = np.repeat(np.arange(NUM_COLUMNS), sizes)
        points = rng.normal(0, 0.55, (len(columns), 2)) + 1.2 * columns[:, None] * [1, 0]
        _, near = cKDTree(points).query(points, k=1 + num_nearest)
        links = np.stack([np.repeat(near[:, 0], num_nearest), near[:, 1:].ravel()], axis=1)
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
    texture = rng.random(len(edges)) < TEXTURE
    if texture_inside:
        texture &= ~cut
    contrast = (cut & same_column) | texture
    features = np.stack(
        [np.abs(np.diff(colours[edges])[:, 0]), contrast + rng.normal(0, 0.3, len(edges))], axis=1
    )
    return PointGraph(
        torch.tensor(features, dtype=torch.float32), torch.from_numpy(edges.T.copy()), truth
    )


# What gives every edge of a graph a cost.
Costs = Callable[[PointGraph], Tensor]


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
    graphs: list[PointGraph], epochs: int, start: CostNetwork, costs_learn: bool = True
) -> tuple[CostNetwork, MulticutLayer]:
    """Fit what the multicut layer makes of the costs; both learn from one loss, or it alone."""
    costs = copy.deepcopy(start).requires_grad_(costs_learn)
    layer = MulticutLayer(NetworkConfig("gcn_w", width=32, depth=6, classifier_width=64))
    optimizer = torch.optim.Adam([*costs.parameters(), *layer.parameters()], lr=3e-3)
    for graph in batches(graphs, epochs):
        probabilities = layer(graph.edges, costs(graph), len(graph.clusters))
        loss = binary_cross_entropy(probabilities, graph.target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return costs, layer.eval()


def log_odds_of(layer: MulticutLayer, costs: Costs) -> Costs:
    """Return what gives each edge the log-odds of the network, which sees the whole graph."""

    def output(graph: PointGraph) -> Tensor:
        cut: Tensor = layer(graph.edges, costs(graph), len(graph.clusters))
        return -torch.logit(cut, eps=1e-6)

    return output


def train_through_a_solver(
    graphs: list[PointGraph],
    start: CostNetwork,
    solver: str = "klj",
    gradient: str | None = None,
    noise: float = 0.5,
    learning_rate: float = 3e-2,
    epochs: int = 10,
    size: int = 5,
) -> CostNetwork:
    """Lower the error of the partitions that a solver finds.

    Without `gradient`, this is the mean of one minus the adjusted Rand index for noisy costs.
    Otherwise it is the squared error of the layer's cut, where edges that are to be cut and those
    that are not weigh the same in total.
    """
    costs = copy.deepcopy(start)
    layer = SolverLayer(solver, gradient=gradient or "perturbed", num_samples=NUM_SAMPLES)
    optimizer = torch.optim.Adam(costs.parameters(), lr=learning_rate)
    steps = epochs * -(-len(graphs) // size)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for step in range(steps):
        if step % (steps // epochs) == 0:
            order = torch.randperm(len(graphs)).tolist()
        # With little noise the mean error is near that of the costs as they are, but its gradient
        # is hard to estimate. Noise is therefore large first.
        layer.noise = noise * (LAST_NOISE / noise) ** (step / steps)
        optimizer.zero_grad()
        for _ in range(min(size, len(order))):
            graph = graphs[order.pop()]
            problem = graph.edges, costs(graph), len(graph.clusters)
            if gradient is None:
                loss = layer.expected_loss(*problem, graph.error)
            else:
                squared = (layer(*problem) - graph.target) ** 2
                to_cut = graph.target == 1
                loss = (squared[to_cut].mean() + squared[~to_cut].mean()) / 2
            (loss / size).backward()
        optimizer.step()
        schedule.step()
    return costs


def search_without_gradients(
    graphs: list[PointGraph],
    start: CostNetwork,
    num_calls: int,
    solver: str = "klj",
    size: int = 20,
    population: int = 12,
    spread: float = 0.3,
    seed: int = 0,
) -> CostNetwork:
    """Search parameters for which the partitions of a solver err least, by CMA-ES.

    All of a generation are tried on the same `size` graphs. The first are drawn about those of
    `start`, with `spread` times their mean absolute value as the deviation.
    """
    costs = copy.deepcopy(start)
    parameters = list(costs.parameters())
    first = parameters_to_vector(parameters).detach().double().numpy()
    deviation = spread * float(np.abs(first).mean())
    optimizer = CMA(mean=first, sigma=deviation, population_size=population, seed=seed)
    rng = np.random.default_rng(seed)

    def use(vector: np.ndarray) -> None:
        vector_to_parameters(torch.tensor(vector, dtype=torch.float32), parameters)

    for _ in range(num_calls // (size * population)):
        some = [graphs[i] for i in rng.permutation(len(graphs))[:size]]
        tried = []
        for _ in range(population):
            vector = optimizer.ask()
            use(vector)
            tried.append((vector, -score(some, costs, solver)))
        optimizer.tell(tried)
    use(optimizer.mean)
    return costs


def adjusted_rand_index(labels: np.ndarray, truth: np.ndarray) -> float:
    """Agreement of two partitions on pairs of points, corrected for chance."""
    table = np.zeros((labels.max() + 1, truth.max() + 1))
    np.add.at(table, (labels, truth), 1)

    def pairs(counts: np.ndarray) -> float:
        return float((counts * (counts - 1) / 2).sum())

    rows, columns, both = pairs(table.sum(1)), pairs(table.sum(0)), pairs(table)
    chance = rows * columns / pairs(np.array([len(labels)]))
    return (both - chance) / ((rows + columns) / 2 - chance)


def cluster(graph: PointGraph, costs: np.ndarray, decoder: str) -> np.ndarray:
    """Return the clusters that a solver, or the signs of the costs alone, make of a graph."""
    num_nodes = len(graph.clusters)
    if decoder == "components":
        u, v = graph.edges.numpy()[:, costs > 0]
        joined = coo_array((np.ones(len(u)), (u, v)), shape=(num_nodes, num_nodes))
        labels: np.ndarray = connected_components(joined, directed=False)[1]
        return labels
    return mc.solve(mc.Problem(graph.edges.T.numpy(), costs, num_nodes=num_nodes), decoder).labels


@torch.no_grad()
def score(graphs: list[PointGraph], costs: Costs, decoder: str, offset: float = 0.0) -> float:
    """Return the mean adjusted Rand index of the clusters found."""
    errors = [
        graph.error(cluster(graph, costs(graph).double().numpy() + offset, decoder))
        for graph in graphs
    ]
    return 1 - float(np.mean(errors))


def best_offset(graphs: list[PointGraph], costs: Costs, decoder: str) -> float:
    """Return the number that is best added to all costs."""
    return max(map(float, OFFSETS), key=lambda offset: score(graphs, costs, decoder, offset))


def tuned_score(graphs: list[PointGraph], costs: Costs, decoder: str) -> float:
    """Return the score with the offset that is best on the same graphs."""
    return score(graphs, costs, decoder, best_offset(graphs, costs, decoder))


def shifted(network: CostNetwork, offset: float) -> CostNetwork:
    """Return a copy that adds a number to all costs."""
    costs = copy.deepcopy(network)
    last = costs.mlp[2]
    assert isinstance(last, nn.Linear)
    last.bias.data += offset
    return costs


def ways_through_a_solver(epochs: int, compare: bool) -> dict[str, list[dict[str, Any]]]:
    """Return arguments of trainings by name, of which the best is taken."""
    # Passes over the graphs take longer than elsewhere: each graph is solved sixteen times.
    noises = [{"noise": noise, "epochs": max(1, epochs // 2)} for noise in (0.5, 1.0)]
    ways: dict[str, list[dict[str, Any]]] = {"expected loss, klj": list(noises)}
    if compare:
        # These solve each graph once or twice.
        rates = [{"learning_rate": rate, "epochs": epochs} for rate in (1e-2, 3e-3, 1e-3, 3e-4)]
        ways |= {
            "expected loss, gaec": [{"solver": "gaec"} | each for each in noises],
            "perturbed, klj": [{"gradient": "perturbed"} | each for each in noises],
            "interpolated, klj": [{"gradient": "interpolated"} | each for each in rates],
            "straight-through, klj": [{"gradient": "straight-through"} | each for each in rates],
        }
    return ways


def main(
    num_train: int = 160,
    num_test: int = 300,
    epochs: int = 20,
    seed: int = 0,
    compare: bool = False,
    num_nearest: int = NUM_NEAREST,
    texture_inside: bool = False,
) -> Scores:
    """Train in all ways and print how well held-out points are clustered."""
    rng = np.random.default_rng(seed)
    torch.manual_seed(seed)
    draw = partial(make_graph, rng, num_nearest, texture_inside)
    graphs = [draw() for _ in range(num_train)]
    train, held_out = graphs[num_train // 4 :], graphs[: num_train // 4]
    test = [draw() for _ in range(num_test)]

    # Longer than it takes to converge, so that what is gained later is not due to more training.
    alone = train_edge_by_edge(train, 4 * epochs)
    start = shifted(alone, best_offset(held_out, alone, "klj"))
    together, layer = train_end_to_end(train, epochs, start=alone)

    networks: dict[str, Costs] = {
        "edge by edge": alone,
        "through a network": together,
        "the network's own output": log_odds_of(layer, together),
    }
    for name, settings in ways_through_a_solver(epochs, compare).items():
        solver = settings[0].get("solver", "klj")
        networks[name] = max(
            (train_through_a_solver(train, start, **each) for each in settings),
            key=lambda costs: tuned_score(held_out, costs, solver),
        )
    # As many as the noises of the expected loss need together.
    num_calls = 2 * max(1, epochs // 2) * len(train) * NUM_SAMPLES
    networks["searched, klj"] = search_without_gradients(train, start, num_calls, seed=seed)
    if compare:
        _, second = train_end_to_end(train, epochs, start=alone, costs_learn=False)
        networks["output, costs fixed"] = log_odds_of(second, alone)

    scores = {"edge by edge, no offset": {name: score(test, alone, name) for name in DECODERS}}
    for name, costs in networks.items():
        scores[name] = {
            decoder: score(test, costs, decoder, best_offset(held_out, costs, decoder))
            for decoder in DECODERS
        }
    print(f"adjusted Rand index on {num_test} held-out graphs")
    for name, row in scores.items():
        print(f"  {name:<25}", *(f"{decoder} {value:.3f}  " for decoder, value in row.items()))
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num-train", type=int, default=160)
    parser.add_argument("--num-test", type=int, default=300)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", action="store_true", help="all gradients of the solver layer")
    parser.add_argument("--num-nearest", type=int, default=NUM_NEAREST, help="links per point")
    parser.add_argument("--texture-inside", action="store_true", help="none between clusters")
    main(**vars(parser.parse_args()))
