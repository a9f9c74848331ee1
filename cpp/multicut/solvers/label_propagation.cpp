#include "multicut/solvers/label_propagation.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/quotient.hpp"

namespace multicut {
namespace {

// Ties may move nodes back and forth for ever.
constexpr int kMostSweeps = 10;

class Propagation {
 public:
  Propagation(const RandomStream& random, Watch& watch) : random_(random), watch_(watch) {}

  // Labels of the clusters that the nodes of a graph form, in no order; empty if stopped.
  Labels run(const Graph& graph, std::span<const double> costs) {
    const NodeId num_nodes = graph.num_nodes();
    labels_ = singletons(num_nodes);
    order_ = labels_;
    size_.assign(num_nodes, 1);
    sum_.assign(num_nodes, 0);
    is_near_.assign(num_nodes, 0);
    unused_.clear();
    bool has_changed = true;
    for (int sweep = 0; sweep < kMostSweeps && has_changed; ++sweep) {
      has_changed = false;
      for (NodeId left = num_nodes; left > 1; --left) {
        std::swap(order_[left - 1], order_[draw(left)]);
      }
      for (const NodeId node : order_) {
        if (work_.is_due(1 + graph.degree(node)) && watch_.expired()) return {};
        has_changed |= move(graph, costs, node);
      }
    }
    return std::move(labels_);
  }

 private:
  std::uint32_t draw(std::uint32_t below) {
    return static_cast<std::uint32_t>(random_.bits(counter_++) % below);
  }

  // Returns whether the node went elsewhere.
  bool move(const Graph& graph, std::span<const double> costs, NodeId node) {
    const auto neighbours = graph.neighbours(node);
    const auto incident = graph.incident_edges(node);
    near_.clear();
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      const NodeId label = labels_[neighbours[i]];
      if (!is_near_[label]) {
        is_near_[label] = 1;
        near_.push_back(label);
        sum_[label] = 0;
      }
      sum_[label] += costs[incident[i]];
    }
    const NodeId own = labels_[node];
    const double attachment = is_near_[own] ? sum_[own] : 0;
    // Of those that attract it as much as the best, each has the same chance.
    NodeId best = attachment < 0 ? kNoNode : own;
    double most = attachment < 0 ? 0 : attachment;
    std::uint32_t num_ties = 1;
    for (const NodeId label : near_) {
      is_near_[label] = 0;
      if (label == own || sum_[label] < most || sum_[label] <= 0) continue;
      if (sum_[label] > most) {
        most = sum_[label];
        best = label;
        num_ties = 1;
      } else if (draw(++num_ties) == 0) {
        best = label;
      }
    }
    if (best == own) return false;
    if (best == kNoNode) best = unused_label();
    if (--size_[own] == 0) unused_.push_back(own);
    ++size_[best];
    labels_[node] = best;
    return true;
  }

  // There is one where two nodes share a label.
  NodeId unused_label() {
    while (size_[unused_.back()] > 0) unused_.pop_back();
    return unused_.back();
  }

  const RandomStream& random_;
  Watch& watch_;
  std::uint64_t counter_ = 0;
  WorkMeter work_;
  Labels labels_;
  std::vector<NodeId> order_;
  std::vector<NodeId> size_;
  std::vector<NodeId> unused_;  // those that became empty; some may be in use again
  std::vector<double> sum_;
  std::vector<std::uint8_t> is_near_;
  std::vector<NodeId> near_;
};

}  // namespace

Labels label_propagation(const Graph& graph, std::span<const double> costs,
                         const RandomStream& random, Watch& watch) {
  const Stop stop = [&] { return watch.expired(); };
  Propagation propagation(random, watch);
  Labels clusters = singletons(graph.num_nodes());
  WeightedGraph level;
  const Graph* nodes = &graph;
  std::span<const double> sums = costs;
  while (nodes->num_edges() > 0) {
    Labels joined = propagation.run(*nodes, sums);
    if (joined.empty()) break;
    const NodeId num_clusters = make_canonical(joined);
    if (num_clusters == nodes->num_nodes()) break;
    for (NodeId& cluster : clusters) cluster = joined[cluster];
    level = quotient(*nodes, sums, joined, num_clusters, stop);
    if (watch.expired()) break;
    nodes = &level.graph;
    sums = level.costs;
  }
  return split_disconnected(graph, clusters);
}

}  // namespace multicut
