#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/prefetch.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/graph/union_find.hpp"
#include "multicut/lifted/problem.hpp"

namespace multicut {

// A lifted problem whose ordinary edges can be contracted. Costs of edges that become parallel add up,
// and such an edge connects if one of them did. Ids of lifted edges come after those of ordinary ones.
//
// Lifted edges reach far, so a cluster soon has many neighbours and absorbs much smaller ones. Therefore
// the work of a contraction depends on the smaller cluster alone. A node with few edges has a list of
// them; one with many has a hash table by neighbour, in which entries of nodes that are gone are left
// until it grows: nobody looks for them.
class LiftedContraction {
 public:
  struct WeightedEdge {
    NodeId u;
    NodeId v;
    double cost;

    // Contracted, or merged into a parallel edge.
    bool is_dead() const { return u == v; }
    NodeId other(NodeId end) const { return u ^ v ^ end; }
  };

  // No lifted edge may be parallel to an ordinary one. Must not be used if `stop` became true meanwhile:
  // then it is incomplete.
  explicit LiftedContraction(const LiftedProblem& problem, const Stop& stop = kNeverStop);

  const WeightedEdge& edge(EdgeId e) const { return edges_[e]; }
  EdgeId num_ids() const { return static_cast<EdgeId>(edges_.size()); }
  NodeId num_nodes() const { return num_nodes_; }

  // Whether an edge stands for an ordinary one, perhaps among others.
  bool connects(EdgeId e) const { return connects_[e] != 0; }

  // Contracts the live edge `e`, which connects. Calls on_merge(kept, absorbed, old_cost, did_connect) for
  // each pair of edges that became one, after `kept` has got the sum of their costs. Returns how many
  // edges it looked at.
  template <typename OnMerge>
  std::size_t contract(EdgeId e, OnMerge&& on_merge);

  // Walking the graph by descending cost jumps through memory. This fetches, one hop at a time, what
  // contractions of the edges that come next in a queue will need.
  template <typename Queue>
  void prefetch_next(const Queue& queue) const {
    if (const EdgeId ahead = queue.peek(16); ahead != kNoEdge) prefetch_to_write(&edges_[ahead]);
    if (const EdgeId ahead = queue.peek(8); ahead != kNoEdge) {
      prefetch_to_write(&nodes_[edges_[ahead].u]);
      prefetch_to_write(&nodes_[edges_[ahead].v]);
    }
    if (const EdgeId ahead = queue.peek(4); ahead != kNoEdge) {
      prefetch(nodes_[edges_[ahead].u].list);
      prefetch(nodes_[edges_[ahead].v].list);
    }
  }

  // The cluster that each original node is in by now; canonical.
  Labels labels();

 private:
  struct Slot {
    NodeId neighbour;  // kNoNode: free
    EdgeId edge;
  };

  struct Node {
    union {
      EdgeId* list;
      Slot* table;
    };
    std::uint32_t size;      // entries, those of dead edges included
    std::uint32_t capacity;  // of a table a power of two
  };

  // Lists are up to this long, tables start with more entries.
  static constexpr std::uint32_t kShort = 48;
  // Tables are at most so full: more than half, so that they grow with what is appended.
  static bool is_full(const Node& node) { return 4 * node.size >= 3 * node.capacity; }

  bool has_table(NodeId node) const { return is_table_[node] != 0; }
  static std::size_t first_place(NodeId neighbour, std::uint32_t capacity) {
    return (neighbour * 0x9e3779b1U) >> std::countl_zero(capacity) & (capacity - 1);
  }

  EdgeId find(const Node& node, NodeId neighbour) const;
  void insert(NodeId node, NodeId neighbour, EdgeId e);
  static void place(Slot* table, std::uint32_t capacity, Slot slot);
  void make_table(NodeId node);
  void resize_table(NodeId node);
  Slot* new_table(std::uint32_t capacity);
  EdgeId* new_list(std::uint32_t capacity);
  std::byte* allocate(std::size_t num_bytes);
  void collect_edges(NodeId node, std::vector<EdgeId>& edges) const;

  template <typename OnMerge>
  void merge_lists(NodeId kept, NodeId absorbed, OnMerge& on_merge);
  template <typename OnMerge>
  void absorb(NodeId kept, NodeId absorbed, OnMerge& on_merge);
  template <typename OnMerge>
  void join_parallel(EdgeId kept, EdgeId absorbed, OnMerge& on_merge);

  // Moves the end of an edge to another node; tells the table at its other end.
  void rename_end(EdgeId e, NodeId from, NodeId to) {
    WeightedEdge& edge = edges_[e];
    const NodeId neighbour = edge.other(from);
    (edge.u == from ? edge.u : edge.v) = to;
    if (has_table(neighbour)) insert(neighbour, to, e);
  }
  void kill(EdgeId e) { edges_[e].u = edges_[e].v; }

  NodeId num_nodes_;
  std::vector<WeightedEdge> edges_;
  std::vector<std::uint8_t> connects_;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> is_table_;
  std::unique_ptr<EdgeId[]> first_lists_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;  // of memory for lists and tables
  std::size_t chunk_size_ = 0;
  std::size_t used_ = 0;
  std::vector<EdgeId> mark_;  // scratch of merge_lists: the edge that leads to a node, or kNoEdge
  std::vector<EdgeId> moving_;  // scratch of absorb
  std::vector<EdgeId> staying_;  // scratch of resize_table
  UnionFind clusters_;
};

// The edge to a neighbour of a node with a table, kNoEdge if there is none.
inline EdgeId LiftedContraction::find(const Node& node, NodeId neighbour) const {
  std::size_t at = first_place(neighbour, node.capacity);
  while (node.table[at].neighbour != neighbour) {
    if (node.table[at].neighbour == kNoNode) return kNoEdge;
    at = (at + 1) & (node.capacity - 1);
  }
  return node.table[at].edge;
}

inline void LiftedContraction::place(Slot* table, std::uint32_t capacity, Slot slot) {
  std::size_t at = first_place(slot.neighbour, capacity);
  while (table[at].neighbour != kNoNode) at = (at + 1) & (capacity - 1);
  table[at] = slot;
}

template <typename OnMerge>
std::size_t LiftedContraction::contract(EdgeId e, OnMerge&& on_merge) {
  NodeId kept = edges_[e].u;
  NodeId absorbed = edges_[e].v;
  if (nodes_[kept].size < nodes_[absorbed].size) std::swap(kept, absorbed);
  kill(e);
  const std::size_t work = std::size_t{nodes_[absorbed].size} + kShort;
  if (nodes_[kept].size <= kShort && !has_table(kept) && !has_table(absorbed)) {
    merge_lists(kept, absorbed, on_merge);
  } else {
    absorb(kept, absorbed, on_merge);
  }
  nodes_[absorbed] = {};
  is_table_[absorbed] = 0;
  clusters_.merge_into(kept, absorbed);
  --num_nodes_;
  return work;
}

template <typename OnMerge>
void LiftedContraction::join_parallel(EdgeId kept, EdgeId absorbed, OnMerge& on_merge) {
  const double old_cost = edges_[kept].cost;
  const bool did_connect = connects(kept);
  edges_[kept].cost += edges_[absorbed].cost;
  connects_[kept] |= connects_[absorbed];
  kill(absorbed);
  on_merge(kept, absorbed, old_cost, did_connect);
}

// Two lists become one; neither node has a table.
template <typename OnMerge>
void LiftedContraction::merge_lists(NodeId kept, NodeId absorbed, OnMerge& on_merge) {
  const std::span<const EdgeId> ours{nodes_[kept].list, nodes_[kept].size};
  const std::span<const EdgeId> theirs{nodes_[absorbed].list, nodes_[absorbed].size};
  for (const EdgeId e : ours) prefetch_to_write(&edges_[e]);
  for (const EdgeId e : theirs) prefetch_to_write(&edges_[e]);
  const std::uint32_t most = nodes_[kept].size + nodes_[absorbed].size;
  // Entries only move forward, so a list that is long enough may overwrite itself.
  const bool fits = most <= nodes_[kept].capacity;
  EdgeId* const begin = fits ? nodes_[kept].list : new_list(most + most / 2);
  EdgeId* end = begin;
  for (const EdgeId e : ours) {
    if (edges_[e].is_dead()) continue;
    mark_[edges_[e].other(kept)] = e;
    *end++ = e;
  }
  EdgeId* const end_of_marked = end;
  for (const EdgeId e : theirs) {
    if (edges_[e].is_dead()) continue;
    const EdgeId parallel = mark_[edges_[e].other(absorbed)];
    if (parallel != kNoEdge) {
      join_parallel(parallel, e, on_merge);
    } else {
      rename_end(e, absorbed, kept);
      *end++ = e;
    }
  }
  for (EdgeId* e = begin; e != end_of_marked; ++e) mark_[edges_[*e].other(kept)] = kNoEdge;
  nodes_[kept].list = begin;
  nodes_[kept].size = static_cast<std::uint32_t>(end - begin);
  if (!fits) nodes_[kept].capacity = most + most / 2;
}

// A node with many edges takes over those of a node with fewer.
template <typename OnMerge>
void LiftedContraction::absorb(NodeId kept, NodeId absorbed, OnMerge& on_merge) {
  if (!has_table(kept)) make_table(kept);
  collect_edges(absorbed, moving_);
  for (const EdgeId e : moving_) {
    const NodeId neighbour = edges_[e].other(absorbed);
    prefetch(&nodes_[kept].table[first_place(neighbour, nodes_[kept].capacity)]);
  }
  for (const EdgeId e : moving_) {
    const NodeId neighbour = edges_[e].other(absorbed);
    const EdgeId parallel = find(nodes_[kept], neighbour);
    if (parallel != kNoEdge) {
      join_parallel(parallel, e, on_merge);
    } else {
      rename_end(e, absorbed, kept);
      insert(kept, neighbour, e);
    }
  }
}

}  // namespace multicut
