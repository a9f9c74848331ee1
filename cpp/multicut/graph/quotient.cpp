#include "multicut/graph/quotient.hpp"

#include <utility>

#include "multicut/graph/sums.hpp"

namespace multicut {

Clusters::Clusters(std::span<const NodeId> labels, NodeId num_clusters)
    : members(labels.size()), offsets(static_cast<std::size_t>(num_clusters) + 1, 0) {
  std::vector<NodeId> sizes(num_clusters, 0);
  for (const NodeId label : labels) ++sizes[label];
  NodeId sum = 0;
  for (NodeId cluster = 0; cluster < num_clusters; ++cluster) {
    offsets[cluster + 1] = sum;
    sum += sizes[cluster];
  }
  for (NodeId node = 0; node < labels.size(); ++node) {
    members[offsets[labels[node] + 1]++] = node;
  }
}

namespace {

// Calls add(edge, e) for each edge e between clusters, with the edge of the quotient that it becomes a
// part of; before it add_edge() for each new one.
template <typename AddEdge, typename Add>
Graph quotient_graph(const Graph& graph, std::span<const NodeId> labels, NodeId num_clusters,
                     const Stop& stop, AddEdge add_edge, Add add) {
  const Clusters clusters(labels, num_clusters);
  std::vector<Edge> edges;
  // edge_to[c] is the edge from the cluster at hand to c, if not older than `first`.
  std::vector<EdgeId> edge_to(num_clusters, 0);
  WorkMeter work;
  for (NodeId cluster = 0; cluster < num_clusters; ++cluster) {
    const std::size_t first = edges.size();
    for (const NodeId node : clusters[cluster]) {
      const auto neighbours = graph.neighbours(node);
      const auto incident = graph.incident_edges(node);
      if (work.is_due(1 + neighbours.size()) && stop()) return {};
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const NodeId other = labels[neighbours[i]];
        if (other <= cluster) continue;
        EdgeId& edge = edge_to[other];
        if (edge < first || edge >= edges.size() || edges[edge].v != other) {
          edge = static_cast<EdgeId>(edges.size());
          edges.push_back({cluster, other});
          add_edge();
        }
        add(edge, incident[i]);
      }
    }
  }
  return Graph(num_clusters, std::move(edges), stop);
}

}  // namespace

WeightedGraph quotient(const Graph& graph, std::span<const double> costs,
                       std::span<const NodeId> labels, NodeId num_clusters, const Stop& stop) {
  std::vector<double> sums;
  Graph clusters = quotient_graph(
      graph, labels, num_clusters, stop, [&] { sums.push_back(0); },
      [&](EdgeId edge, EdgeId e) { sums[edge] += costs[e]; });
  return {std::move(clusters), std::move(sums)};
}

WeightedGraph quotient(const Graph& graph, std::span<const double> costs,
                       std::span<const NodeId> labels, NodeId num_clusters,
                       std::vector<double>& residuals, double& doubt, const Stop& stop) {
  std::vector<Sum> sums;
  Graph clusters = quotient_graph(
      graph, labels, num_clusters, stop, [&] { sums.emplace_back(); },
      [&](EdgeId edge, EdgeId e) {
        sums[edge].add(costs[e]);
        if (residuals[e] != 0) sums[edge].add(residuals[e]);
      });
  if (stop()) return {};
  std::vector<double> rounded(sums.size());
  residuals.resize(sums.size());
  for (std::size_t edge = 0; edge < sums.size(); ++edge) {
    rounded[edge] = sums[edge].value();
    residuals[edge] = sums[edge].residual();
    doubt += sums[edge].doubt();
  }
  return {std::move(clusters), std::move(rounded)};
}

}  // namespace multicut
