#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/prefetch.hpp"

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

  // The smaller of two representatives stands for both. Where sets are only merged this way, no node
  // has a parent of a larger id.
  void merge(NodeId a, NodeId b) {
    a = find(a);
    b = find(b);
    merge_into(std::min(a, b), std::max(a, b));
  }

  NodeId parent(NodeId node) const { return parents_[node]; }
  void prefetch(NodeId node) const { prefetch_to_write(&parents_[node]); }

 private:
  std::vector<NodeId> parents_;
};

}  // namespace multicut
