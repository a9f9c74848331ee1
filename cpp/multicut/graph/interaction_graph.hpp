#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/list_pool.hpp"
#include "multicut/graph/pair_map.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/prefetch.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/graph/union_find.hpp"

namespace multicut {

// A graph whose edges can be contracted, for agglomeration in which clusters have many neighbours.
//
// A table tells the edge between any two clusters, so a contraction looks at the edges of one of them
// only, the one with the shorter list. Each node has such a list of edge ids, at first the graph's
// own, which must therefore outlive this. An edge that was merged into a parallel one, or contracted,
// is dead (both ends equal) and stays in lists. Edges carry a `Value`, made of a cost; what becomes of
// it is up to the caller.
template <typename Value>
class InteractionGraph {
 public:
  // Must not be used if `stop` became true meanwhile: then it is incomplete.
  InteractionGraph(const Graph& graph, std::span<const double> costs,
                   const Stop& stop = kNeverStop);

  bool is_dead(EdgeId e) const { return edges_[e].u == edges_[e].v; }
  Value& value(EdgeId e) { return edges_[e].value; }
  const Value& value(EdgeId e) const { return edges_[e].value; }

  // Contracts the live edge `e`. Calls on_merge(kept, absorbed) for each pair of edges that became
  // one. Returns how many edges it looked at, which is what the call cost.
  template <typename OnMerge>
  std::size_t contract(EdgeId e, const OnMerge& on_merge);

  // Fetches, one hop at a time, what contractions of the edges that come next in a queue will need.
  template <typename Queue>
  void prefetch_next(const Queue& queue) const {
    if (const EdgeId ahead = queue.peek(16); ahead != kNoEdge) prefetch_to_write(&edges_[ahead]);
    if (const EdgeId ahead = queue.peek(8); ahead != kNoEdge) {
      prefetch_to_write(&lists_[edges_[ahead].u]);
      prefetch_to_write(&lists_[edges_[ahead].v]);
    }
    if (const EdgeId ahead = queue.peek(4); ahead != kNoEdge) {
      prefetch(entries(shorter_of(edges_[ahead].u, edges_[ahead].v)));
    }
  }

  // The cluster that each original node is in by now; canonical.
  Labels labels();

 private:
  struct Interaction {
    NodeId u;
    NodeId v;
    Value value;

    NodeId other(NodeId end) const { return u ^ v ^ end; }
  };

  struct List {
    std::uint32_t size = 0;
    std::uint32_t capacity = 0;  // zero while the list is the graph's
    std::uint32_t begin = 0;     // in the pool
  };

  // Pairs go to places in the table that jump through memory; these are fetched ahead.
  static constexpr EdgeId kAhead = 16;
  static constexpr EdgeId kEdgesBetweenChecks = 1 << 16;

  NodeId shorter_of(NodeId u, NodeId v) const { return lists_[u].size < lists_[v].size ? u : v; }
  const EdgeId* entries(NodeId node) const {
    const List& list = lists_[node];
    return list.capacity == 0 ? graph_.incident_edges(node).data() : pool_.at(list.begin);
  }
  void append(NodeId node, EdgeId e);

  const Graph& graph_;
  std::vector<Interaction> edges_;
  std::vector<List> lists_;
  ListPool pool_;
  PairMap pairs_;
  UnionFind clusters_;
  // Scratch of a contraction: live edges of the node that is absorbed, and pairs of parallel ones.
  std::vector<EdgeId> moved_;
  std::vector<std::pair<EdgeId, EdgeId>> merged_;
};

template <typename Value>
InteractionGraph<Value>::InteractionGraph(const Graph& graph, std::span<const double> costs,
                                          const Stop& stop)
    : graph_(graph),
      lists_(graph.num_nodes()),
      pairs_(graph.num_edges()),
      clusters_(graph.num_nodes()) {
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    lists_[node].size = static_cast<std::uint32_t>(graph.degree(node));
  }
  edges_.reserve(graph.num_edges());
  const auto are_all_needed = [](NodeId, NodeId) { return true; };
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (e % kEdgesBetweenChecks == 0 && stop()) return;
    if (e + kAhead < graph.num_edges()) {
      pairs_.prefetch_pair(graph.edge(e + kAhead).u, graph.edge(e + kAhead).v);
    }
    edges_.push_back({graph.edge(e).u, graph.edge(e).v, Value(costs[e])});
    pairs_.find_or_insert(graph.edge(e).u, graph.edge(e).v, e, are_all_needed);
  }
}

template <typename Value>
template <typename OnMerge>
std::size_t InteractionGraph<Value>::contract(EdgeId e, const OnMerge& on_merge) {
  const NodeId absorbed = shorter_of(edges_[e].u, edges_[e].v);
  const NodeId kept = edges_[e].other(absorbed);
  edges_[e].u = edges_[e].v;
  clusters_.merge_into(kept, absorbed);
  const List list = lists_[absorbed];
  const EdgeId* const begin = entries(absorbed);
  for (std::uint32_t i = 0; i < list.size; ++i) prefetch_to_write(&edges_[begin[i]]);
  moved_.clear();
  for (std::uint32_t i = 0; i < list.size; ++i) {
    if (is_dead(begin[i])) continue;
    pairs_.prefetch_pair(kept, edges_[begin[i]].other(absorbed));
    moved_.push_back(begin[i]);
  }
  if (list.capacity > 0) pool_.release(list.begin, list.capacity);
  lists_[absorbed] = {};
  const auto is_needed = [&](NodeId u, NodeId v) {
    return clusters_.parent(u) == u && clusters_.parent(v) == v;
  };
  merged_.clear();
  for (const EdgeId other : moved_) {
    Interaction& edge = edges_[other];
    const NodeId neighbour = edge.other(absorbed);
    const EdgeId parallel = pairs_.find_or_insert(kept, neighbour, other, is_needed);
    if (parallel == other) {
      edge.u = kept;
      edge.v = neighbour;
      append(kept, other);
    } else {
      edge.u = edge.v;
      prefetch_to_write(&edges_[parallel]);
      merged_.push_back({parallel, other});
    }
  }
  for (const auto& [parallel, other] : merged_) on_merge(parallel, other);
  return list.size;
}

template <typename Value>
Labels InteractionGraph<Value>::labels() {
  Labels labels(lists_.size());
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = clusters_.find(node);
  make_canonical(labels);
  return labels;
}

template <typename Value>
void InteractionGraph<Value>::append(NodeId node, EdgeId e) {
  List& list = lists_[node];
  if (list.size >= list.capacity) {
    const std::uint32_t capacity = std::max(ListPool::kSmallest, std::bit_ceil(list.size + 1));
    const std::uint32_t begin = pool_.allocate(capacity);
    std::copy_n(entries(node), list.size, pool_.at(begin));
    if (list.capacity > 0) pool_.release(list.begin, list.capacity);
    list.begin = begin;
    list.capacity = capacity;
  }
  pool_.at(list.begin)[list.size++] = e;
}

}  // namespace multicut
