#include "multicut/bounds/packing_problem.hpp"

#include <algorithm>
#include <cmath>

#include "multicut/graph/sums.hpp"

namespace multicut {
namespace {

// The position of each node in breadth-first order. Incomplete if stopped.
std::vector<NodeId> breadth_first_positions(const Graph& graph, const Stop& stop) {
  std::vector<NodeId> position(graph.num_nodes(), kNoNode);
  std::vector<NodeId> order;
  order.reserve(graph.num_nodes());
  const auto visit = [&](NodeId node) {
    if (position[node] != kNoNode) return;
    position[node] = static_cast<NodeId>(order.size());
    order.push_back(node);
  };
  std::size_t next = 0;
  WorkMeter work;
  for (NodeId root = 0; root < graph.num_nodes(); ++root) {
    visit(root);
    for (; next < order.size(); ++next) {
      if (work.is_due(1 + graph.degree(order[next])) && stop()) return position;
      for (const NodeId neighbour : graph.neighbours(order[next])) visit(neighbour);
    }
  }
  return position;
}

}  // namespace

PackingProblem::PackingProblem(const Graph& graph, std::span<const double> costs,
                               const Stop& stop)
    : offsets_(graph.num_nodes() + std::size_t{1}, 0), num_original_edges_(graph.num_edges()) {
  const std::vector<NodeId> position = breadth_first_positions(graph, stop);
  if (stop()) return;
  const auto lower_end = [&](EdgeId e) {
    return std::min(position[graph.edge(e).u], position[graph.edge(e).v]);
  };

  std::vector<std::size_t> slots(graph.num_nodes() + std::size_t{1}, 0);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (costs[e] != 0) ++slots[lower_end(e) + 1];
  }
  for (NodeId node = 0; node < graph.num_nodes(); ++node) slots[node + 1] += slots[node];
  if (stop()) return;
  edges_.resize(slots.back());
  original_edges_.resize(edges_.size());
  std::vector<double> sorted_costs(edges_.size());
  WorkMeter work;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (costs[e] == 0) continue;
    if (work.is_due(1) && stop()) return;
    const auto slot = slots[lower_end(e)]++;
    edges_[slot] = {position[graph.edge(e).u], position[graph.edge(e).v]};
    sorted_costs[slot] = costs[e];
    original_edges_[slot] = e;
  }

  if (stop()) return;
  capacities_.resize(edges_.size());
  Sum repulsive;
  for (EdgeId e = 0; e < edges_.size(); ++e) {
    capacities_[e] = std::abs(sorted_costs[e]);
    if (sorted_costs[e] < 0) {
      repulsive_edges_.push_back(e);
      repulsive.add(sorted_costs[e]);
    } else {
      ++offsets_[edges_[e].u + 1];
      ++offsets_[edges_[e].v + 1];
    }
  }
  trivial_bound_ = repulsive.rounded_down();
  for (NodeId node = 0; node < num_nodes(); ++node) offsets_[node + 1] += offsets_[node];
  if (stop()) return;
  arcs_.resize(offsets_.back());
  std::vector<std::size_t> free_slot(offsets_.begin(), offsets_.end() - 1);
  for (EdgeId e = 0; e < edges_.size(); ++e) {
    if (sorted_costs[e] < 0) continue;
    const auto [u, v] = edges_[e];
    if (work.is_due(2) && stop()) return;
    arcs_[free_slot[u]++] = {v, e};
    arcs_[free_slot[v]++] = {u, e};
  }
  is_complete_ = true;
}

}  // namespace multicut
