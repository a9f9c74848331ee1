#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/search/clustering.hpp"
#include "multicut/search/ordered_graph.hpp"

namespace multicut {

// The cost between each node and each cluster, for dense graphs of few clusters: there it is quicker to
// keep these sums up to date than to add them up each time. Not for nodes without neighbours.
class CostTable {
 public:
  struct Largest {
    double cost;
    NodeId cluster;
  };

  CostTable(const OrderedGraph& graph, const Clustering& clusters);

  // Computes all sums anew, if the graph is dense enough; `is_used` says so. Not if it has to stop.
  void build(const Stop& stop);
  bool is_used() const { return is_used_; }

  double cost(NodeId node, NodeId cluster) const {
    return sums_[row_of_[node] * stride_ + column_of_[cluster]];
  }

  // Makes room for a cluster that has been empty.
  void add(NodeId cluster);

  // The cluster other than its own to which a node has the largest sum; kNoNode if there is none.
  Largest largest(NodeId node) const;

  // A neighbour of a node has moved.
  void shift(NodeId node, double cost, NodeId from, NodeId to) {
    double* const sums = sums_.data() + row_of_[node] * stride_;
    sums[column_of_[from]] -= cost;
    sums[column_of_[to]] += cost;
  }

 private:
  static constexpr std::size_t kNoColumn = std::numeric_limits<std::size_t>::max();

  const OrderedGraph& graph_;
  const Clustering& clusters_;
  bool is_used_ = false;
  std::size_t stride_ = 0;
  std::size_t num_rows_ = 0;
  std::vector<double> sums_;  // by rows
  std::vector<std::size_t> row_of_;
  std::vector<std::size_t> column_of_;
  std::vector<NodeId> cluster_of_;  // by column
};

}  // namespace multicut
