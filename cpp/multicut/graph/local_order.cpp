#include "multicut/graph/local_order.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace multicut {
namespace {

// Smaller graphs fit into a cache, in whatever order.
constexpr EdgeId kManyEdges = 50'000;
// Of the number of nodes: how far apart neighbours are at least in a scattered graph.
constexpr double kFar = 1.0 / 16;

}  // namespace

Labels LocallyOrdered::restore(const Labels& labels) const {
  Labels result(labels.size());
  for (NodeId i = 0; i < order.size(); ++i) result[order[i]] = labels[i];
  make_canonical(result);
  return result;
}

bool is_scattered(const Graph& graph) {
  if (graph.num_edges() < kManyEdges) return false;
  std::uint64_t distance = 0;
  for (const auto [u, v] : graph.edges()) distance += std::max(u, v) - std::min(u, v);
  return static_cast<double>(distance) >
         kFar * static_cast<double>(graph.num_nodes()) * static_cast<double>(graph.num_edges());
}

LocallyOrdered order_locally(const Graph& graph, std::span<const double> costs, const Stop& stop) {
  LocallyOrdered result;
  std::vector<NodeId>& order = result.order;
  order.reserve(graph.num_nodes());
  std::vector<NodeId> rank(graph.num_nodes(), kNoNode);
  const auto visit = [&](NodeId node) {
    if (rank[node] != kNoNode) return;
    rank[node] = static_cast<NodeId>(order.size());
    order.push_back(node);
  };
  std::vector<Edge> edges;
  edges.reserve(graph.num_edges());
  result.costs.reserve(graph.num_edges());
  WorkMeter work;
  std::size_t next = 0;
  for (NodeId start = 0; start < graph.num_nodes(); ++start) {
    visit(start);
    for (; next < order.size(); ++next) {
      const auto neighbours = graph.neighbours(order[next]);
      const auto incident = graph.incident_edges(order[next]);
      if (work.is_due(1 + neighbours.size()) && stop()) return result;
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        visit(neighbours[k]);
        // Of the two ends the one that comes first adds the edge.
        if (rank[neighbours[k]] <= next) continue;
        edges.push_back({static_cast<NodeId>(next), rank[neighbours[k]]});
        result.costs.push_back(costs[incident[k]]);
      }
    }
  }
  result.graph = Graph(graph.num_nodes(), std::move(edges), stop);
  return result;
}

}  // namespace multicut
