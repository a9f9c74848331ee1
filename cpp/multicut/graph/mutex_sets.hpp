#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/list_pool.hpp"
#include "multicut/graph/pair_set.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/prefetch.hpp"

namespace multicut {

// Disjoint sets of nodes, pairs of which may have to stay apart (mutual exclusions).
//
// A hash table holds the pairs of representatives, so that one look tells whether two sets may be
// merged. Each set also lists the sets that it is apart from; when two sets are merged, the shorter
// list is renamed. Entries of lists may name nodes that represent no set any more; `find` mends that.
class MutexSets {
 public:
  explicit MutexSets(NodeId num_nodes);

  NodeId find(NodeId node) {
    while (sets_[node].parent != node) {
      sets_[node].parent = sets_[sets_[node].parent].parent;
      node = sets_[node].parent;
    }
    return node;
  }

  // These take representatives of two different sets.
  bool are_apart(NodeId a, NodeId b) const {
    return sets_[a].size > 0 && sets_[b].size > 0 && pairs_.contains(a, b);
  }
  void keep_apart(NodeId a, NodeId b);
  // The sets must not be apart. Returns the representative of both and how many entries it renamed.
  struct Merged {
    NodeId kept;
    NodeId absorbed;
    std::size_t work;
  };
  Merged merge(NodeId a, NodeId b);

  // Nodes come in an order that jumps through memory. These fetch what they will need, in this order.
  void prefetch_node(NodeId node) const { prefetch_to_write(&sets_[node]); }
  void prefetch_parent(NodeId node) const { prefetch_to_write(&sets_[sets_[node].parent]); }
  void prefetch_pair(NodeId u, NodeId v) const {
    u = sets_[sets_[u].parent].parent;
    v = sets_[sets_[v].parent].parent;
    if (u != v) pairs_.prefetch_pair(u, v);
  }

  NodeId num_nodes() const { return static_cast<NodeId>(sets_.size()); }

  // The set of each node; canonical.
  Labels labels();

 private:
  // What a node that represents a set knows of it.
  struct Set {
    NodeId parent;
    std::uint32_t size = 0;      // of the list
    std::uint32_t capacity = 0;  // 0: the only entry, if any, stands in `begin`
    std::uint32_t begin = 0;     // of the list, in the pool
  };

  const NodeId* list_of(const Set& set) const {
    return set.capacity == 0 ? &set.begin : pool_.at(set.begin);
  }
  void append(NodeId representative, NodeId entry);

  std::vector<Set> sets_;
  ListPool pool_;
  PairSet pairs_;
};

}  // namespace multicut
