#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// The dual of the cycle relaxation as a packing problem. A cycle with one repulsive edge forces every
// partition to pay at least the least of its costs: cutting the repulsive edge means cutting one of
// the attractive ones. So cycles with weights x such that no edge is used more than its |cost| show
// that the optimum is at least Σ x more than the sum of all repulsive costs.
//
// Edges of cost zero are left out. Nodes are renumbered in breadth-first order, and edges by their
// ends, so that what lies close in the graph lies close in memory.
class PackingProblem {
 public:
  struct Arc {
    NodeId head;
    EdgeId edge;
  };

  PackingProblem(const Graph& graph, std::span<const double> costs, const Stop& stop = kNeverStop);

  // False if it was stopped before it was made; it must not be used then.
  bool is_complete() const { return is_complete_; }

  NodeId num_nodes() const { return static_cast<NodeId>(offsets_.size() - 1); }
  EdgeId num_edges() const { return static_cast<EdgeId>(edges_.size()); }
  EdgeId num_original_edges() const { return num_original_edges_; }
  const Edge& edge(EdgeId e) const { return edges_[e]; }
  NodeId other_end(EdgeId e, NodeId node) const { return edges_[e].u ^ edges_[e].v ^ node; }
  double capacity(EdgeId e) const { return capacities_[e]; }
  std::span<const double> capacities() const { return capacities_; }

  // The attractive edges at a node.
  std::span<const Arc> attractive_arcs(NodeId node) const {
    return {arcs_.data() + offsets_[node], arcs_.data() + offsets_[node + 1]};
  }
  std::span<const EdgeId> repulsive_edges() const { return repulsive_edges_; }

  // The edge of the graph that each edge was.
  std::span<const EdgeId> original_edges() const { return original_edges_; }

  // Sum of the repulsive costs, rounded down: the bound before anything is packed.
  double trivial_bound() const { return trivial_bound_; }

 private:
  std::vector<Edge> edges_;
  std::vector<double> capacities_;
  std::vector<std::size_t> offsets_;
  std::vector<Arc> arcs_;
  std::vector<EdgeId> repulsive_edges_;
  std::vector<EdgeId> original_edges_;
  EdgeId num_original_edges_ = 0;
  double trivial_bound_ = 0;
  bool is_complete_ = false;
};

}  // namespace multicut
