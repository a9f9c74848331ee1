#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A copy of a lifted problem for searches that work on clusters and their neighbours, like OrderedGraph:
// nodes are numbered cluster by cluster, and arcs carry their cost. Those of ordinary edges come first.
class OrderedProblem {
 public:
  struct Arc {
    NodeId node;
    double cost;
  };

  OrderedProblem(const LiftedProblem& problem, const Labels& labels, Watch& watch);

  // False if the time was up before the copy was made; it must not be used then.
  bool is_complete() const { return is_complete_; }

  NodeId num_nodes() const { return static_cast<NodeId>(order_.size()); }
  std::size_t num_arcs() const { return offsets_.back(); }
  double mean_degree() const {
    return static_cast<double>(num_arcs()) / std::max<NodeId>(1, num_linked_nodes_);
  }
  // Of nodes that have neighbours.
  NodeId num_linked_nodes() const { return num_linked_nodes_; }

  // All arcs of a node, those that connect, and those that do not.
  std::span<const Arc> arcs(NodeId node) const { return slice(offsets_[node], offsets_[node + 1]); }
  std::span<const Arc> links(NodeId node) const { return slice(offsets_[node], ends_of_links_[node]); }
  std::span<const Arc> lifted_arcs(NodeId node) const {
    return slice(ends_of_links_[node], offsets_[node + 1]);
  }
  std::vector<NodeId> degrees() const;

  // Labels of the original's nodes as labels of this one's, canonical, and back. The same for values, none
  // if there are none.
  Labels reorder(const Labels& labels) const;
  std::vector<std::uint8_t> reorder(std::span<const std::uint8_t> of_nodes) const;
  Labels restore(const Labels& labels) const;

 private:
  std::span<const Arc> slice(std::size_t begin, std::size_t end) const {
    return {arcs_.get() + begin, arcs_.get() + end};
  }
  void order_nodes(const Graph& graph, const Labels& labels, Watch& watch);
  void copy_arcs(const LiftedProblem& problem, Watch& watch);

  std::vector<NodeId> order_;  // the original's node of each of ours
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> ends_of_links_;
  std::unique_ptr<Arc[]> arcs_;
  NodeId num_linked_nodes_ = 0;
  bool is_complete_ = false;
};

}  // namespace multicut
