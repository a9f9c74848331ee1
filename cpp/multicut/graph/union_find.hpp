#pragma once

#include <numeric>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

// Disjoint sets of nodes, with path halving.
class UnionFind {
 public:
  explicit UnionFind(NodeId size) : parents_(size) {
    std::iota(parents_.begin(), parents_.end(), NodeId{0});
  }

  NodeId find(NodeId node) {
    while (parents_[node] != node) {
      parents_[node] = parents_[parents_[node]];
      node = parents_[node];
    }
    return node;
  }

  // Makes the representative `kept` also that of the set of representative `absorbed`.
  void merge_into(NodeId kept, NodeId absorbed) { parents_[absorbed] = kept; }

  void merge(NodeId a, NodeId b) { merge_into(find(a), find(b)); }

 private:
  std::vector<NodeId> parents_;
};

}  // namespace multicut
