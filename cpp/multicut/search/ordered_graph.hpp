#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "multicut/graph/costly_edges.hpp"
#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A copy of a graph with its costs, for searches that work on clusters and their neighbours. Its
// nodes are numbered cluster by cluster, clusters that touch each other close together, and arcs
// carry their cost, so that what a search looks at together lies together in memory.
class OrderedGraph {
 public:
  struct Arc {
    NodeId node;
    double cost;
  };

  OrderedGraph(const Graph& graph, std::span<const double> costs, const Labels& labels,
               Watch& watch);

  // False if the time was up before the copy was made; it must not be used then.
  bool is_complete() const { return is_complete_; }

  NodeId num_nodes() const { return static_cast<NodeId>(order_.size()); }
  std::size_t num_arcs() const { return offsets_.back(); }
  // Of nodes that have neighbours.
  NodeId num_linked_nodes() const { return num_linked_nodes_; }
  double mean_degree() const {
    return static_cast<double>(num_arcs()) / std::max<NodeId>(1, num_linked_nodes_);
  }
  std::span<const Arc> arcs(NodeId node) const {
    return slice(offsets_[node], offsets_[node + 1]);
  }
  std::vector<NodeId> degrees() const;

  // Labels of the original's nodes as labels of this graph's, canonical, and back.
  Labels reorder(const Labels& labels) const;
  Labels restore(const Labels& labels) const;

 protected:
  // Of edges of several kinds over the same nodes; arcs of the first kind come first, and clusters touch by
  // these alone.
  OrderedGraph(std::span<const CostlyEdges> edges, const Labels& labels, Watch& watch);

  NodeId original(NodeId node) const { return order_[node]; }
  std::span<const Arc> slice(std::size_t begin, std::size_t end) const {
    return {arcs_.get() + begin, arcs_.get() + end};
  }
  std::size_t begin_of_arcs(NodeId node) const { return offsets_[node]; }

 private:
  void order_nodes(const Graph& graph, const Labels& labels, Watch& watch);
  void copy_arcs(std::span<const CostlyEdges> edges, Watch& watch);

  std::vector<NodeId> order_;  // the original's node of each of ours
  std::vector<std::size_t> offsets_;
  std::unique_ptr<Arc[]> arcs_;
  NodeId num_linked_nodes_ = 0;
  bool is_complete_ = false;
};

}  // namespace multicut
