#include "multicut/lifted/contraction.hpp"

#include <algorithm>

namespace multicut {

LiftedContraction::LiftedContraction(const LiftedProblem& problem, const Stop& stop)
    : num_nodes_(problem.graph.num_nodes()),
      edges_(std::size_t{problem.graph.num_edges()} + problem.lifted.num_edges()),
      connects_(edges_.size(), 0),
      nodes_(num_nodes_),
      is_table_(num_nodes_, 0),
      first_lists_(std::make_unique_for_overwrite<EdgeId[]>(2 * edges_.size())),
      mark_(num_nodes_, kNoEdge),
      clusters_(num_nodes_) {
  if (stop()) return;
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  const EdgeId first = graph.num_edges();
  std::fill_n(connects_.begin(), first, std::uint8_t{1});
  for (EdgeId e = 0; e < first; ++e) edges_[e] = {graph.edge(e).u, graph.edge(e).v, costs[e]};
  if (stop()) return;
  for (EdgeId e = 0; e < lifted.num_edges(); ++e) {
    edges_[first + e] = {lifted.edge(e).u, lifted.edge(e).v, lifted_costs[e]};
  }
  if (stop()) return;
  EdgeId* end = first_lists_.get();
  WorkMeter work;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    const auto size = static_cast<std::uint32_t>(graph.degree(node) + lifted.degree(node));
    if (work.is_due(1 + size) && stop()) return;
    nodes_[node].list = end;
    nodes_[node].size = nodes_[node].capacity = size;
    end = std::ranges::copy(graph.incident_edges(node), end).out;
    for (const EdgeId e : lifted.incident_edges(node)) *end++ = first + e;
  }
}

Labels LiftedContraction::labels() {
  Labels labels(nodes_.size());
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = clusters_.find(node);
  make_canonical(labels);
  return labels;
}

// Adds an edge to a neighbour that the table of the node does not know.
void LiftedContraction::insert(NodeId node, NodeId neighbour, EdgeId e) {
  if (is_full(nodes_[node])) resize_table(node);
  place(nodes_[node].table, nodes_[node].capacity, {neighbour, e});
  ++nodes_[node].size;
}

void LiftedContraction::make_table(NodeId node) {
  const std::span<const EdgeId> list{nodes_[node].list, nodes_[node].size};
  const std::uint32_t capacity = std::bit_ceil(2 * nodes_[node].size);
  Slot* const table = new_table(capacity);
  std::uint32_t size = 0;
  for (const EdgeId e : list) {
    if (edges_[e].is_dead()) continue;
    place(table, capacity, {edges_[e].other(node), e});
    ++size;
  }
  nodes_[node].table = table;
  nodes_[node].size = size;
  nodes_[node].capacity = capacity;
  is_table_[node] = 1;
}

// Makes room in a table: leaves out what is dead, and doubles it unless that was much.
void LiftedContraction::resize_table(NodeId node) {
  collect_edges(node, staying_);
  const auto size = static_cast<std::uint32_t>(staying_.size());
  const std::uint32_t capacity = std::max(nodes_[node].capacity, std::bit_ceil(2 * size + 1));
  Slot* table = nodes_[node].table;
  if (capacity > nodes_[node].capacity) {
    table = new_table(capacity);
  } else {
    std::fill_n(table, capacity, Slot{kNoNode, kNoEdge});
  }
  for (const EdgeId e : staying_) place(table, capacity, {edges_[e].other(node), e});
  nodes_[node].table = table;
  nodes_[node].size = size;
  nodes_[node].capacity = capacity;
}

LiftedContraction::Slot* LiftedContraction::new_table(std::uint32_t capacity) {
  auto* const table = reinterpret_cast<Slot*>(allocate(capacity * sizeof(Slot)));
  std::fill_n(table, capacity, Slot{kNoNode, kNoEdge});
  return table;
}

EdgeId* LiftedContraction::new_list(std::uint32_t capacity) {
  return reinterpret_cast<EdgeId*>(allocate((capacity + capacity % 2) * sizeof(EdgeId)));
}

// Memory that is freed all at once. Sizes are multiples of that of a slot.
std::byte* LiftedContraction::allocate(std::size_t num_bytes) {
  constexpr std::size_t kSmallestChunk = 1 << 12;
  constexpr std::size_t kLargestChunk = 1 << 22;
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

// Sets `edges` to the live ones of a node.
void LiftedContraction::collect_edges(NodeId node, std::vector<EdgeId>& edges) const {
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
