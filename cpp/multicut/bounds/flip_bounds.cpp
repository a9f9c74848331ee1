#include "multicut/bounds/flip_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::uint64_t key_of(NodeId a, NodeId b) {
  return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
}

}  // namespace

std::vector<double> flip_bounds(const Graph& graph, std::span<const double> costs,
                                std::span<const double> left, const Labels& labels) {
  std::vector<double> bounds(graph.num_edges(), 0);
  std::vector<EdgeId> edge_to(graph.num_nodes(), kNoEdge);  // of the node at hand
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    const auto neighbours = graph.neighbours(node);
    const auto incident = graph.incident_edges(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) edge_to[neighbours[i]] = incident[i];
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const NodeId other = neighbours[i];
      const EdgeId e = incident[i];
      // Once for each edge, from the end whose neighbours are marked.
      if (graph.edge(e).u != node) continue;
      const bool is_joined = labels[node] == labels[other];
      const bool agrees = is_joined ? costs[e] > 0 : costs[e] < 0;
      double sum = agrees ? left[e] : 0;
      const auto thirds = graph.neighbours(other);
      const auto edges = graph.incident_edges(other);
      for (std::size_t j = 0; j < thirds.size(); ++j) {
        const EdgeId first = edge_to[thirds[j]];
        const EdgeId second = edges[j];
        if (first == kNoEdge || thirds[j] == node) continue;
        const bool attract = costs[first] > 0 && costs[second] > 0;
        const bool disagree = (costs[first] > 0) != (costs[second] > 0) && costs[first] != 0 &&
                              costs[second] != 0;
        if (is_joined ? attract : disagree) sum += std::min(left[first], left[second]);
      }
      bounds[e] = sum * (1 - static_cast<double>(thirds.size() + 2) * kEpsilon);
    }
    for (const NodeId neighbour : neighbours) edge_to[neighbour] = kNoEdge;
  }
  return bounds;
}

std::vector<double> simple_flips(const Graph& graph, std::span<const double> costs,
                                 const Labels& labels) {
  std::unordered_map<std::uint64_t, double> between;
  std::vector<double> attachment(graph.num_nodes(), 0);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    if (labels[u] == labels[v]) {
      attachment[u] += costs[e];
      attachment[v] += costs[e];
    } else {
      between[key_of(labels[u], labels[v])] += costs[e];
    }
  }
  std::vector<double> flips(graph.num_edges(), kInfinity);
  std::vector<double> sums(graph.num_nodes(), 0);  // of the node at hand, by cluster
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    const auto neighbours = graph.neighbours(node);
    const auto incident = graph.incident_edges(node);
    double best = 0;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (labels[neighbours[i]] != labels[node]) sums[labels[neighbours[i]]] += costs[incident[i]];
    }
    for (const NodeId neighbour : neighbours) best = std::max(best, sums[labels[neighbour]]);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const bool is_joined = labels[neighbours[i]] == labels[node];
      const double gained = is_joined ? best : sums[labels[neighbours[i]]];
      // A must-link holds it where it is, and a cannot-link keeps it out.
      const double change = gained == -kInfinity ? kInfinity : attachment[node] - gained;
      flips[incident[i]] = std::min(flips[incident[i]], change);
    }
    for (const NodeId neighbour : neighbours) sums[labels[neighbour]] = 0;
  }
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    if (labels[u] != labels[v]) flips[e] = std::min(flips[e], -between[key_of(labels[u], labels[v])]);
    if (std::isinf(costs[e])) flips[e] = kInfinity;
  }
  return flips;
}

}  // namespace multicut
