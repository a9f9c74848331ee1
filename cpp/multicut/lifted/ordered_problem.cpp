#include "multicut/lifted/ordered_problem.hpp"

#include <cstdint>

#include "multicut/graph/quotient.hpp"

namespace multicut {

OrderedProblem::OrderedProblem(const LiftedProblem& problem, const Labels& labels, Watch& watch) {
  order_nodes(problem.graph, labels, watch);
  if (order_.size() == labels.size()) copy_arcs(problem, watch);
}

// Breadth first over the clusters. Left incomplete if the time is up.
void OrderedProblem::order_nodes(const Graph& graph, const Labels& labels, Watch& watch) {
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

void OrderedProblem::copy_arcs(const LiftedProblem& problem, Watch& watch) {
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  std::vector<NodeId> rank(order_.size());
  for (NodeId i = 0; i < order_.size(); ++i) rank[order_[i]] = i;
  offsets_.resize(order_.size() + 1, 0);
  ends_of_links_.resize(order_.size(), 0);
  const std::size_t num_edges = std::size_t{graph.num_edges()} + lifted.num_edges();
  arcs_ = std::make_unique_for_overwrite<Arc[]>(2 * num_edges);
  WorkMeter work;
  std::size_t at = 0;
  const auto copy = [&](const Graph& edges, std::span<const double> costs_of_edges, NodeId node) {
    const auto neighbours = edges.neighbours(node);
    const auto incident = edges.incident_edges(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      arcs_[at++] = {rank[neighbours[i]], costs_of_edges[incident[i]]};
    }
  };
  for (NodeId i = 0; i < order_.size(); ++i) {
    if (work.is_due(1 + graph.degree(order_[i]) + lifted.degree(order_[i])) && watch.expired()) {
      return;
    }
    copy(graph, costs, order_[i]);
    ends_of_links_[i] = at;
    copy(lifted, lifted_costs, order_[i]);
    num_linked_nodes_ += at > offsets_[i] ? 1U : 0U;
    offsets_[i + 1] = at;
  }
  is_complete_ = true;
}

std::vector<NodeId> OrderedProblem::degrees() const {
  std::vector<NodeId> degrees(num_nodes());
  for (NodeId node = 0; node < num_nodes(); ++node) {
    degrees[node] = static_cast<NodeId>(offsets_[node + 1] - offsets_[node]);
  }
  return degrees;
}

Labels OrderedProblem::reorder(const Labels& labels) const {
  Labels result(labels.size());
  for (NodeId i = 0; i < order_.size(); ++i) result[i] = labels[order_[i]];
  make_canonical(result);
  return result;
}

std::vector<std::uint8_t> OrderedProblem::reorder(std::span<const std::uint8_t> of_nodes) const {
  std::vector<std::uint8_t> result(of_nodes.size());
  for (NodeId i = 0; i < result.size(); ++i) result[i] = of_nodes[order_[i]];
  return result;
}

Labels OrderedProblem::restore(const Labels& labels) const {
  Labels result(labels.size());
  for (NodeId i = 0; i < order_.size(); ++i) result[order_[i]] = labels[i];
  make_canonical(result);
  return result;
}

}  // namespace multicut
