#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/prefetch.hpp"

namespace multicut {

// Disjoint sets of nodes that several threads may merge at once. A node's parent never has a larger id,
// so the representative of a set is its smallest node, whatever the order of merges was.
class ConcurrentSets {
 public:
  explicit ConcurrentSets(NodeId size) : parents_(size) {
    for (NodeId node = 0; node < size; ++node) parents_[node].store(node, std::memory_order_relaxed);
  }

  void merge(NodeId a, NodeId b) {
    for (;;) {
      a = find(a);
      b = find(b);
      if (a == b) return;
      if (a < b) std::swap(a, b);
      NodeId expected = a;  // unless another thread has merged it meanwhile
      if (parents_[a].compare_exchange_weak(expected, b, std::memory_order_relaxed)) return;
    }
  }

  NodeId parent(NodeId node) const { return parents_[node].load(std::memory_order_relaxed); }
  void prefetch(NodeId node) const { prefetch_to_write(&parents_[node]); }

 private:
  // Halves paths: a node that is no representative may get any of its ancestors as its parent.
  NodeId find(NodeId node) {
    for (;;) {
      const NodeId next = parent(node);
      if (next == node) return node;
      const NodeId after = parent(next);
      if (after == next) return next;
      parents_[node].store(after, std::memory_order_relaxed);
      node = after;
    }
  }

  std::vector<std::atomic<NodeId>> parents_;
};

}  // namespace multicut
