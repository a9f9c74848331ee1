#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "multicut/graph/costly_edges.hpp"
#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/prefetch.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/graph/union_find.hpp"

namespace multicut {

// A graph whose edges can be contracted, for agglomeration in which clusters have many neighbours. Edges
// carry a `Value`, made of a cost; what becomes of it when edges become parallel is up to the caller.
//
// A cluster soon has many neighbours and absorbs much smaller ones. Therefore the work of a contraction
// depends on the smaller cluster alone. A node with few edges has a list of them; one with many has a hash
// table by neighbour, in which entries of nodes that are gone are left until it grows: nobody looks for
// them.
template <typename Value>
class InteractionGraph {
 public:
  struct Interaction {
    NodeId u;
    NodeId v;
    Value value;

    // Contracted, or merged into a parallel one.
    bool is_dead() const { return u == v; }
    NodeId other(NodeId end) const { return u ^ v ^ end; }
  };

  // There is at least one graph, all have the same nodes, and no two edges are parallel. They are numbered in the order in which they are given. Must not be used if
  // `stop` became true meanwhile: then it is incomplete.
  InteractionGraph(std::initializer_list<CostlyEdges> edges, const Stop& stop = kNeverStop);

  const Interaction& edge(EdgeId e) const { return edges_[e]; }
  bool is_dead(EdgeId e) const { return edges_[e].is_dead(); }
  Value& value(EdgeId e) { return edges_[e].value; }
  const Value& value(EdgeId e) const { return edges_[e].value; }
  EdgeId num_ids() const { return num_ids_; }
  NodeId num_nodes() const { return num_nodes_; }

  // Contracts the live edge `e`. Calls on_merge(kept, absorbed) for each pair of edges that became one.
  // Returns how many edges it looked at, about.
  template <typename OnMerge>
  std::size_t contract(EdgeId e, const OnMerge& on_merge);

  // Walking the graph by descending cost jumps through memory. This fetches, one hop at a time, what
  // contractions of the edges that come next in a queue will need.
  template <typename Queue>
  void prefetch_next(const Queue& queue) const {
    if (!is_large_) return;
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

  // Edges that lie in a cache all together.
  static constexpr EdgeId kFewEdges = 1 << 15;
  // Lists are up to this long, tables start with more entries.
  static constexpr std::uint32_t kShort = 48;
  // Tables are at most so full: more than half, so that they grow with what is appended.
  static bool is_full(const Node& node) { return 4 * node.size >= 3 * node.capacity; }

  bool has_table(NodeId node) const { return is_table_[node] != 0; }
  static std::size_t first_place(NodeId neighbour, std::uint32_t capacity) {
    return (neighbour * 0x9e3779b1U) >> std::countl_zero(capacity) & (capacity - 1);
  }

  // The edge to a neighbour of a node with a table, kNoEdge if there is none.
  static EdgeId find(const Node& node, NodeId neighbour) {
    std::size_t at = first_place(neighbour, node.capacity);
    while (node.table[at].neighbour != neighbour) {
      if (node.table[at].neighbour == kNoNode) return kNoEdge;
      at = (at + 1) & (node.capacity - 1);
    }
    return node.table[at].edge;
  }

  static void place(Slot* table, std::uint32_t capacity, Slot slot) {
    std::size_t at = first_place(slot.neighbour, capacity);
    while (table[at].neighbour != kNoNode) at = (at + 1) & (capacity - 1);
    table[at] = slot;
  }

  // Adds an edge to a neighbour that the table of the node does not know.
  void insert(NodeId node, NodeId neighbour, EdgeId e) {
    if (is_full(nodes_[node])) resize_table(node);
    place(nodes_[node].table, nodes_[node].capacity, {neighbour, e});
    ++nodes_[node].size;
  }

  void make_table(NodeId node);
  void resize_table(NodeId node);
  Slot* new_table(std::uint32_t capacity);
  std::byte* allocate(std::size_t num_bytes);
  void release(void* place, std::size_t num_bytes);
  void release_memory(NodeId node) {
    const Node& own = nodes_[node];
    if (own.capacity == 0) return;
    release(own.list, own.capacity * (has_table(node) ? sizeof(Slot) : sizeof(EdgeId)));
  }
  void collect_edges(NodeId node, std::vector<EdgeId>& edges) const;

  template <typename OnMerge>
  void merge_lists(NodeId kept, NodeId absorbed, const OnMerge& on_merge);
  template <typename OnMerge>
  void absorb(NodeId kept, NodeId absorbed, const OnMerge& on_merge);

  // Moves the end of an edge to another node; tells the table at its other end.
  void rename_end(EdgeId e, NodeId from, NodeId to) {
    Interaction& edge = edges_[e];
    const NodeId neighbour = edge.other(from);
    (edge.u == from ? edge.u : edge.v) = to;
    if (has_table(neighbour)) insert(neighbour, to, e);
  }
  void kill(EdgeId e) { edges_[e].u = edges_[e].v; }

  NodeId num_nodes_;
  EdgeId num_ids_;
  bool is_large_ = false;  // more than a cache holds, so that fetching ahead pays
  std::vector<Interaction> edges_;
  std::vector<Node> nodes_;
  std::vector<std::uint8_t> is_table_;
  std::unique_ptr<EdgeId[]> first_lists_;
  std::vector<std::unique_ptr<std::byte[]>> chunks_;  // of memory for lists and tables
  std::size_t chunk_size_ = 0;
  std::size_t used_ = 0;
  std::array<std::byte*, 40> free_{};  // by the logarithm of its size: memory that is no longer used
  std::vector<EdgeId> mark_;  // scratch of merge_lists: the edge that leads to a neighbour, or kNoEdge
  std::array<std::pair<EdgeId, EdgeId>, kShort + 1> parallel_;  // scratch of merge_lists
  std::vector<EdgeId> moving_;   // scratch of absorb
  std::vector<EdgeId> staying_;  // scratch of resize_table
  UnionFind clusters_;
};

template <typename Value>
InteractionGraph<Value>::InteractionGraph(std::initializer_list<CostlyEdges> edges, const Stop& stop)
    : num_nodes_(edges.begin()->graph.num_nodes()),
      num_ids_(0),
      nodes_(num_nodes_),
      is_table_(num_nodes_, 0),
      mark_(num_nodes_, kNoEdge),
      clusters_(num_nodes_) {
  for (const CostlyEdges& kind : edges) num_ids_ += kind.graph.num_edges();
  edges_.reserve(num_ids_);
  is_large_ = num_ids_ > kFewEdges;
  first_lists_ = std::make_unique_for_overwrite<EdgeId[]>(2 * std::size_t{num_ids_});
  EdgeId* end = first_lists_.get();
  for (NodeId node = 0; node < num_nodes_; ++node) {
    std::size_t degree = 0;
    for (const auto& [graph, costs] : edges) degree += graph.degree(node);
    nodes_[node].list = end;
    nodes_[node].capacity = static_cast<std::uint32_t>(degree);
    end += degree;
  }
  // Edge by edge: lists are so short that loops over them would be hard to predict.
  WorkMeter work;
  for (const auto& [graph, costs] : edges) {
    if (stop()) return;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const auto [u, v] = graph.edge(e);
      const auto id = static_cast<EdgeId>(edges_.size());
      nodes_[u].list[nodes_[u].size++] = id;
      nodes_[v].list[nodes_[v].size++] = id;
      edges_.push_back({u, v, Value(costs[e])});
      if (work.is_due(1) && stop()) return;
    }
  }
}

template <typename Value>
template <typename OnMerge>
std::size_t InteractionGraph<Value>::contract(EdgeId e, const OnMerge& on_merge) {
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
  release_memory(absorbed);
  nodes_[absorbed] = {};
  is_table_[absorbed] = 0;
  clusters_.merge_into(kept, absorbed);
  --num_nodes_;
  return work;
}

// Two lists become one; neither node has a table. What becomes of an edge is hard to predict, so there are
// few branches.
template <typename Value>
template <typename OnMerge>
void InteractionGraph<Value>::merge_lists(NodeId kept, NodeId absorbed, const OnMerge& on_merge) {
  const std::span<const EdgeId> ours{nodes_[kept].list, nodes_[kept].size};
  const std::span<const EdgeId> theirs{nodes_[absorbed].list, nodes_[absorbed].size};
  if (is_large_) {
    for (const EdgeId e : ours) prefetch_to_write(&edges_[e]);
  }
  // Dead edges lead to the node itself, whose mark means nothing.
  for (const EdgeId e : theirs) mark_[edges_[e].other(absorbed)] = e;
  mark_[kept] = kNoEdge;
  const auto most = static_cast<std::uint32_t>(ours.size() + theirs.size());
  // Entries only move forward, so a list that is long enough may overwrite itself.
  const bool fits = most <= nodes_[kept].capacity;
  const std::uint32_t capacity = fits ? nodes_[kept].capacity : std::bit_ceil(most);
  EdgeId* const begin = fits ? nodes_[kept].list
                             : reinterpret_cast<EdgeId*>(allocate(capacity * sizeof(EdgeId)));
  EdgeId* end = begin;
  std::size_t num_parallel = 0;
  for (const EdgeId e : ours) {
    *end = e;
    end += edges_[e].is_dead() ? 0 : 1;
    const EdgeId other = mark_[edges_[e].other(kept)];
    parallel_[num_parallel] = {e, other};
    num_parallel += other == kNoEdge ? 0U : 1U;
  }
  for (std::size_t i = 0; i < num_parallel; ++i) {
    const auto [e, other] = parallel_[i];
    mark_[edges_[e].other(kept)] = kNoEdge;
    kill(other);
    on_merge(e, other);
  }
  for (const EdgeId e : theirs) {
    if (edges_[e].is_dead()) continue;
    mark_[edges_[e].other(absorbed)] = kNoEdge;
    rename_end(e, absorbed, kept);
    *end++ = e;
  }
  if (!fits) release_memory(kept);
  nodes_[kept].list = begin;
  nodes_[kept].size = static_cast<std::uint32_t>(end - begin);
  nodes_[kept].capacity = capacity;
}

// A node with many edges takes over those of a node with fewer.
template <typename Value>
template <typename OnMerge>
void InteractionGraph<Value>::absorb(NodeId kept, NodeId absorbed, const OnMerge& on_merge) {
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
      kill(e);
      on_merge(parallel, e);
    } else {
      rename_end(e, absorbed, kept);
      insert(kept, neighbour, e);
    }
  }
}

template <typename Value>
Labels InteractionGraph<Value>::labels() {
  Labels labels(nodes_.size());
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = clusters_.find(node);
  make_canonical(labels);
  return labels;
}

template <typename Value>
void InteractionGraph<Value>::make_table(NodeId node) {
  const std::span<const EdgeId> list{nodes_[node].list, nodes_[node].size};
  const std::uint32_t capacity = std::bit_ceil(2 * nodes_[node].size);
  Slot* const table = new_table(capacity);
  std::uint32_t size = 0;
  for (const EdgeId e : list) {
    if (edges_[e].is_dead()) continue;
    place(table, capacity, {edges_[e].other(node), e});
    ++size;
  }
  release_memory(node);
  nodes_[node].table = table;
  nodes_[node].size = size;
  nodes_[node].capacity = capacity;
  is_table_[node] = 1;
}

// Makes room in a table: leaves out what is dead, and doubles it unless that was much.
template <typename Value>
void InteractionGraph<Value>::resize_table(NodeId node) {
  collect_edges(node, staying_);
  const auto size = static_cast<std::uint32_t>(staying_.size());
  const std::uint32_t capacity = std::max(nodes_[node].capacity, std::bit_ceil(2 * size + 1));
  Slot* table = nodes_[node].table;
  if (capacity > nodes_[node].capacity) {
    release_memory(node);
    table = new_table(capacity);
  } else {
    std::fill_n(table, capacity, Slot{kNoNode, kNoEdge});
  }
  for (const EdgeId e : staying_) place(table, capacity, {edges_[e].other(node), e});
  nodes_[node].table = table;
  nodes_[node].size = size;
  nodes_[node].capacity = capacity;
}

template <typename Value>
typename InteractionGraph<Value>::Slot* InteractionGraph<Value>::new_table(std::uint32_t capacity) {
  auto* const table = reinterpret_cast<Slot*>(allocate(capacity * sizeof(Slot)));
  std::fill_n(table, capacity, Slot{kNoNode, kNoEdge});
  return table;
}

// Memory of a power of two of bytes, which has been released before, if there is any such.
template <typename Value>
std::byte* InteractionGraph<Value>::allocate(std::size_t num_bytes) {
  constexpr std::size_t kSmallestChunk = 1 << 12;
  constexpr std::size_t kLargestChunk = 1 << 22;
  std::byte*& free = free_[static_cast<std::size_t>(std::countr_zero(num_bytes))];
  if (free != nullptr) {
    std::byte* const place = free;
    std::memcpy(&free, place, sizeof free);
    return place;
  }
  if (used_ + num_bytes > chunk_size_) {
    chunk_size_ = std::clamp(2 * chunk_size_, kSmallestChunk, kLargestChunk);
    chunk_size_ = std::max(chunk_size_, num_bytes);
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(chunk_size_));
    used_ = 0;
  }
  std::byte* const place = chunks_.back().get() + used_;
  used_ += num_bytes;
  return place;
}

// Keeps memory for the next that needs as much. What is free begins with the address of more of its kind.
template <typename Value>
void InteractionGraph<Value>::release(void* place, std::size_t num_bytes) {
  // First lists may have any length: what exceeds a power of two is lost.
  if (num_bytes < sizeof(std::byte*)) return;
  std::byte*& free = free_[static_cast<std::size_t>(std::bit_width(num_bytes)) - 1];
  std::memcpy(place, &free, sizeof free);
  free = static_cast<std::byte*>(place);
}

// Sets `edges` to the live ones of a node.
template <typename Value>
void InteractionGraph<Value>::collect_edges(NodeId node, std::vector<EdgeId>& edges) const {
  edges.clear();
  if (!has_table(node)) {
    const std::span<const EdgeId> list{nodes_[node].list, nodes_[node].size};
    for (const EdgeId e : list) prefetch_to_write(&edges_[e]);
    for (const EdgeId e : list) {
      if (!edges_[e].is_dead()) edges.push_back(e);
    }
    return;
  }
  const std::span<const Slot> table{nodes_[node].table, nodes_[node].capacity};
  for (const auto [neighbour, e] : table) {
    // The neighbour may have been absorbed by another, which has an entry of its own then.
    const bool is_live = neighbour != kNoNode && !edges_[e].is_dead() &&
                         edges_[e].other(node) == neighbour;
    if (is_live) edges.push_back(e);
  }
}

}  // namespace multicut
