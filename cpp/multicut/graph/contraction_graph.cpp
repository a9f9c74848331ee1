#include "multicut/graph/contraction_graph.hpp"

#include <algorithm>

namespace multicut {

ContractionGraph::ContractionGraph(const Graph& graph, std::span<const double> costs,
                                   const Stop& stop)
    : num_nodes_(graph.num_nodes()),
      edges_(graph.num_edges()),
      lists_(graph.num_nodes()),
      mark_(graph.num_nodes(), kNoEdge),
      clusters_(graph.num_nodes()) {
  if (stop()) return;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    edges_[e] = {graph.edge(e).u, graph.edge(e).v, costs[e]};
  }
  if (stop()) return;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    const auto edges = graph.incident_edges(node);
    lists_[node] = {edges.data(), static_cast<std::uint32_t>(edges.size()), 0};
  }
}

Labels ContractionGraph::labels() {
  Labels labels(lists_.size());
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = clusters_.find(node);
  make_canonical(labels);
  return labels;
}

EdgeId* ContractionGraph::Arena::allocate(std::uint32_t size) {
  constexpr std::size_t kSmallestChunk = 1 << 10;
  constexpr std::size_t kLargestChunk = 1 << 20;
  if (used_ + size > chunk_size_) {
    chunk_size_ = std::clamp(2 * chunk_size_, kSmallestChunk, kLargestChunk);
    chunk_size_ = std::max<std::size_t>(chunk_size_, size);
    chunks_.push_back(std::make_unique_for_overwrite<EdgeId[]>(chunk_size_));
    used_ = 0;
  }
  EdgeId* const place = chunks_.back().get() + used_;
  used_ += size;
  return place;
}

EdgeId* ContractionGraph::place_for(NodeId node, std::uint32_t size) {
  List& list = lists_[node];
  if (size <= list.capacity) return const_cast<EdgeId*>(list.begin);
  list.capacity = size + list.capacity / 2;
  return arena_.allocate(list.capacity);
}

void ContractionGraph::append(NodeId node, EdgeId e) {
  List& list = lists_[node];
  if (list.size == list.capacity || list.capacity == 0) {
    EdgeId* const place = place_for(node, list.size + list.size / 2 + 1);
    std::copy_n(list.begin, list.size, place);
    list.begin = place;
  }
  const_cast<EdgeId*>(list.begin)[list.size++] = e;
}

// The edge between a node with a long list and another node, kNoEdge if there is none.
EdgeId ContractionGraph::find_edge(NodeId hub, NodeId other) {
  if (lists_[other].size <= kShort) {
    for (const EdgeId e : entries(other)) {
      if (!edges_[e].is_dead() && edges_[e].other(other) == hub) return e;
    }
    return kNoEdge;
  }
  const EdgeTable& table = table_of(hub);
  const auto found = table.find(other);
  return found == table.end() ? kNoEdge : found->second;
}

ContractionGraph::EdgeTable& ContractionGraph::table_of(NodeId hub) {
  const auto [position, is_new] = tables_.try_emplace(hub);
  if (is_new) {
    position->second.reserve(lists_[hub].size);
    for (const EdgeId e : entries(hub)) {
      if (!edges_[e].is_dead()) position->second.emplace(edges_[e].other(hub), e);
    }
  }
  return position->second;
}

void ContractionGraph::rename_in_table(NodeId owner, NodeId from, NodeId to) {
  const auto table = tables_.find(owner);
  if (table == tables_.end()) return;
  auto entry = table->second.extract(from);
  entry.key() = to;
  table->second.insert(std::move(entry));
}

void ContractionGraph::erase_from_table(NodeId owner, NodeId key) {
  const auto table = tables_.find(owner);
  if (table != tables_.end()) table->second.erase(key);
}

}  // namespace multicut
