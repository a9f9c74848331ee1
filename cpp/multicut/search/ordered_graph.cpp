#include "multicut/search/ordered_graph.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "multicut/graph/quotient.hpp"

namespace multicut {

OrderedGraph::OrderedGraph(const Graph& graph, std::span<const double> costs, const Labels& labels,
                           Watch& watch)
    : OrderedGraph(std::array{CostlyEdges{graph, costs}}, labels, watch) {}

OrderedGraph::OrderedGraph(std::span<const CostlyEdges> edges, const Labels& labels, Watch& watch) {
  order_nodes(edges.front().graph, labels, watch);
  if (order_.size() == labels.size()) copy_arcs(edges, watch);
}

// Breadth first over the clusters. Left incomplete if the time is up.
void OrderedGraph::order_nodes(const Graph& graph, const Labels& labels, Watch& watch) {
  const NodeId num_clusters = labels.empty() ? 0 : *std::ranges::max_element(labels) + 1;
  const Clusters clusters(labels, num_clusters);
  order_.reserve(labels.size());
  std::vector<NodeId> queue;
  std::vector<std::uint8_t> is_queued(num_clusters, 0);
  WorkMeter work;
  for (NodeId start = 0; start < num_clusters; ++start) {
    if (is_queued[start]) continue;
    is_queued[start] = 1;
    queue.assign(1, start);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const NodeId node : clusters[queue[i]]) {
        if (work.is_due(1 + graph.degree(node)) && watch.expired()) return;
        order_.push_back(node);
        for (const NodeId neighbour : graph.neighbours(node)) {
          const NodeId cluster = labels[neighbour];
          if (is_queued[cluster]) continue;
          is_queued[cluster] = 1;
          queue.push_back(cluster);
        }
      }
    }
  }
}

void OrderedGraph::copy_arcs(std::span<const CostlyEdges> edges, Watch& watch) {
  std::vector<NodeId> rank(order_.size());
  for (NodeId i = 0; i < order_.size(); ++i) rank[order_[i]] = i;
  offsets_.resize(order_.size() + 1, 0);
  std::size_t num_edges = 0;
  for (const CostlyEdges& kind : edges) num_edges += kind.graph.num_edges();
  arcs_ = std::make_unique_for_overwrite<Arc[]>(2 * num_edges);
  WorkMeter work;
  for (NodeId i = 0; i < order_.size(); ++i) {
    std::size_t at = offsets_[i];
    for (const auto& [graph, costs] : edges) {
      const auto neighbours = graph.neighbours(order_[i]);
      const auto incident = graph.incident_edges(order_[i]);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        arcs_[at++] = {rank[neighbours[k]], costs[incident[k]]};
      }
    }
    offsets_[i + 1] = at;
    num_linked_nodes_ += at == offsets_[i] ? 0U : 1U;
    if (work.is_due(1 + at - offsets_[i]) && watch.expired()) return;
  }
  is_complete_ = true;
}

std::vector<NodeId> OrderedGraph::degrees() const {
  std::vector<NodeId> degrees(num_nodes());
  for (NodeId node = 0; node < num_nodes(); ++node) {
    degrees[node] = static_cast<NodeId>(offsets_[node + 1] - offsets_[node]);
  }
  return degrees;
}

Labels OrderedGraph::reorder(const Labels& labels) const {
  Labels result(labels.size());
  for (NodeId i = 0; i < order_.size(); ++i) result[i] = labels[order_[i]];
  make_canonical(result);
  return result;
}

Labels OrderedGraph::restore(const Labels& labels) const {
  Labels result(labels.size());
  for (NodeId i = 0; i < order_.size(); ++i) result[order_[i]] = labels[i];
  make_canonical(result);
  return result;
}

}  // namespace multicut
