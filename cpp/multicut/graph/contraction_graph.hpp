#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/prefetch.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/graph/union_find.hpp"

namespace multicut {

// A graph with edge costs whose edges can be contracted; costs of edges that become parallel add up.
//
// Each node has a list of edge ids, at first the graph's own, which must therefore outlive this;
// each edge knows its two current ends. An edge that was merged into a parallel one, or contracted,
// is dead (both ends equal) and leaves the lists when these are next walked. Contracting walks both
// lists when they are of similar length; a node much smaller than its partner is absorbed at a cost
// that depends on the small one only.
class ContractionGraph {
 public:
  struct WeightedEdge {
    NodeId u;
    NodeId v;
    double cost;

    bool is_dead() const { return u == v; }
    NodeId other(NodeId end) const { return u ^ v ^ end; }
  };

  // Must not be used if `stop` became true meanwhile: then it is incomplete.
  ContractionGraph(const Graph& graph, std::span<const double> costs,
                   const Stop& stop = kNeverStop);

  const WeightedEdge& edge(EdgeId e) const { return edges_[e]; }
  void set_cost(EdgeId e, double cost) { edges_[e].cost = cost; }
  NodeId num_nodes() const { return num_nodes_; }

  // The node that stands for `node` by now.
  NodeId find(NodeId node) { return clusters_.find(node); }

  // Calls visit(e) for each live edge of a node that stands for itself.
  template <typename Visit>
  void for_each_edge(NodeId node, Visit&& visit) const {
    for (const EdgeId e : entries(node)) {
      if (!edges_[e].is_dead()) visit(e);
    }
  }

  // Contracts the live edge `e`. Calls on_merge(kept, absorbed, old_cost) for each pair of edges
  // that became one, after `kept` has got the sum of their costs. Returns how many edges it looked
  // at, which is what the call cost.
  template <typename OnMerge>
  std::size_t contract(EdgeId e, OnMerge&& on_merge);

  // Walking the graph by descending cost jumps through memory. This fetches, one hop at a time, what
  // contractions of the edges that come next in a queue will need.
  template <typename Queue>
  void prefetch_next(const Queue& queue) const {
    if (edges_.size() < kManyEdges) return;
    if (const EdgeId ahead = queue.peek(16); ahead != kNoEdge) prefetch_edge(ahead);
    if (const EdgeId ahead = queue.peek(8); ahead != kNoEdge) prefetch_ends(ahead);
    if (const EdgeId ahead = queue.peek(4); ahead != kNoEdge) prefetch_lists(ahead);
  }

  // The cluster that each original node is in by now; canonical.
  Labels labels();

 private:
  struct List {
    const EdgeId* begin = nullptr;
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;  // zero while the list is the graph's
  };

  // Hands out memory that is freed all at once.
  class Arena {
   public:
    EdgeId* allocate(std::uint32_t size);

   private:
    std::vector<std::unique_ptr<EdgeId[]>> chunks_;
    std::size_t used_ = 0;
    std::size_t chunk_size_ = 0;
  };

  using EdgeTable = std::unordered_map<NodeId, EdgeId>;

  // Lists up to this long are always walked.
  static constexpr std::uint32_t kShort = 64;
  // So are longer ones, unless they are this many times longer than their partner's.
  static constexpr std::uint32_t kImbalance = 8;
  // Fewer edges are in a cache anyway: to fetch them ahead takes longer than it saves.
  static constexpr std::size_t kManyEdges = 2'000;

  void prefetch_edge(EdgeId e) const { prefetch_to_write(&edges_[e]); }
  void prefetch_ends(EdgeId e) const {
    prefetch_to_write(&lists_[edges_[e].u]);
    prefetch_to_write(&lists_[edges_[e].v]);
  }
  void prefetch_lists(EdgeId e) const {
    prefetch(lists_[edges_[e].u].begin);
    prefetch(lists_[edges_[e].v].begin);
  }

  std::span<const EdgeId> entries(NodeId node) const {
    return {lists_[node].begin, lists_[node].size};
  }

  template <typename OnMerge>
  void merge_lists(NodeId kept, NodeId absorbed, OnMerge& on_merge);
  template <typename OnMerge>
  void absorb(NodeId kept, NodeId absorbed, OnMerge& on_merge);
  template <typename OnMerge>
  void join_parallel(EdgeId kept, EdgeId absorbed, OnMerge& on_merge);

  void rename_end(EdgeId e, NodeId from, NodeId to) {
    WeightedEdge& edge = edges_[e];
    (edge.u == from ? edge.u : edge.v) = to;
  }
  void kill(EdgeId e) { edges_[e].u = edges_[e].v; }

  // A place for a list of up to `size` entries that replaces that of `node`: its own if that is
  // large enough, which a filter that moves entries only forward may overwrite.
  EdgeId* place_for(NodeId node, std::uint32_t size);
  void append(NodeId node, EdgeId e);
  EdgeId find_edge(NodeId hub, NodeId other);
  EdgeTable& table_of(NodeId hub);
  void rename_in_table(NodeId owner, NodeId from, NodeId to);
  void erase_from_table(NodeId owner, NodeId key);

  NodeId num_nodes_;
  std::vector<WeightedEdge> edges_;
  std::vector<List> lists_;
  Arena arena_;
  std::vector<EdgeId> mark_;  // scratch of merge_lists: the edge that leads to a node, or kNoEdge
  UnionFind clusters_;
  // Edges by neighbour, for the few nodes with long lists that absorb much smaller ones.
  std::unordered_map<NodeId, EdgeTable> tables_;
};

template <typename OnMerge>
std::size_t ContractionGraph::contract(EdgeId e, OnMerge&& on_merge) {
  NodeId kept = edges_[e].u;
  NodeId absorbed = edges_[e].v;
  if (lists_[kept].size < lists_[absorbed].size) std::swap(kept, absorbed);
  kill(e);
  if (!tables_.empty()) {
    erase_from_table(kept, absorbed);
    tables_.erase(absorbed);
  }
  const std::size_t longer = lists_[kept].size;
  const std::size_t shorter = lists_[absorbed].size;
  const bool are_similar = longer <= kShort || longer / kImbalance <= shorter;
  if (are_similar) {
    merge_lists(kept, absorbed, on_merge);
  } else {
    absorb(kept, absorbed, on_merge);
  }
  clusters_.merge_into(kept, absorbed);
  --num_nodes_;
  return are_similar ? longer + shorter : kShort * shorter;
}

template <typename OnMerge>
void ContractionGraph::join_parallel(EdgeId kept, EdgeId absorbed, OnMerge& on_merge) {
  const double old_cost = edges_[kept].cost;
  edges_[kept].cost += edges_[absorbed].cost;
  kill(absorbed);
  on_merge(kept, absorbed, old_cost);
}

template <typename OnMerge>
void ContractionGraph::merge_lists(NodeId kept, NodeId absorbed, OnMerge& on_merge) {
  if (edges_.size() >= kManyEdges) {
    for (const EdgeId e : entries(kept)) prefetch_edge(e);
    for (const EdgeId e : entries(absorbed)) prefetch_edge(e);
  }
  EdgeId* const begin = place_for(kept, lists_[kept].size + lists_[absorbed].size);
  EdgeId* end = begin;
  for (const EdgeId e : entries(kept)) {
    if (edges_[e].is_dead()) continue;
    mark_[edges_[e].other(kept)] = e;
    *end++ = e;
  }
  EdgeId* const end_of_marked = end;
  for (const EdgeId e : entries(absorbed)) {
    if (edges_[e].is_dead()) continue;
    const NodeId neighbour = edges_[e].other(absorbed);
    if (mark_[neighbour] != kNoEdge) {
      if (!tables_.empty()) erase_from_table(neighbour, absorbed);
      join_parallel(mark_[neighbour], e, on_merge);
    } else {
      if (!tables_.empty()) rename_in_table(neighbour, absorbed, kept);
      rename_end(e, absorbed, kept);
      *end++ = e;
    }
  }
  for (EdgeId* e = begin; e != end_of_marked; ++e) mark_[edges_[*e].other(kept)] = kNoEdge;
  lists_[kept].begin = begin;
  lists_[kept].size = static_cast<std::uint32_t>(end - begin);
  lists_[absorbed] = {};
  if (!tables_.empty()) tables_.erase(kept);
}

template <typename OnMerge>
void ContractionGraph::absorb(NodeId kept, NodeId absorbed, OnMerge& on_merge) {
  for (std::uint32_t i = 0; i < lists_[absorbed].size; ++i) {
    const EdgeId e = entries(absorbed)[i];
    if (edges_[e].is_dead()) continue;
    const NodeId neighbour = edges_[e].other(absorbed);
    const EdgeId parallel = find_edge(kept, neighbour);
    if (parallel != kNoEdge) {
      erase_from_table(neighbour, absorbed);
      join_parallel(parallel, e, on_merge);
    } else {
      rename_in_table(neighbour, absorbed, kept);
      rename_end(e, absorbed, kept);
      append(kept, e);
      if (const auto table = tables_.find(kept); table != tables_.end()) {
        table->second.emplace(neighbour, e);
      }
    }
  }
  lists_[absorbed] = {};
}

}  // namespace multicut
