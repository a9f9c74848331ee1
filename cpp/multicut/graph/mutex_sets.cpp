#include "multicut/graph/mutex_sets.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace multicut {

MutexSets::MutexSets(NodeId num_nodes) : sets_(num_nodes) {
  for (NodeId node = 0; node < num_nodes; ++node) sets_[node].parent = node;
}

void MutexSets::keep_apart(NodeId a, NodeId b) {
  const auto are_representatives = [&](NodeId u, NodeId v) {
    return sets_[u].parent == u && sets_[v].parent == v;
  };
  if (!pairs_.insert(a, b, are_representatives)) return;
  append(a, b);
  append(b, a);
}

MutexSets::Merged MutexSets::merge(NodeId a, NodeId b) {
  if (sets_[a].size < sets_[b].size) std::swap(a, b);
  sets_[b].parent = a;
  const Set absorbed = sets_[b];
  const auto are_representatives = [&](NodeId u, NodeId v) {
    return sets_[u].parent == u && sets_[v].parent == v;
  };
  for (std::uint32_t i = 0; i < absorbed.size; ++i) {
    // Appending may move the pool.
    const NodeId other = find(list_of(absorbed)[i]);
    if (pairs_.insert(a, other, are_representatives)) append(a, other);
  }
  release(absorbed);
  return {a, b, absorbed.size};
}

Labels MutexSets::labels() {
  Labels labels(sets_.size());
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = find(node);
  make_canonical(labels);
  return labels;
}

void MutexSets::append(NodeId representative, NodeId entry) {
  Set& set = sets_[representative];
  if (set.size == 0 && set.capacity == 0) {
    set.begin = entry;
    set.size = 1;
    return;
  }
  if (set.capacity == 0 || set.size == set.capacity) {
    const std::uint32_t capacity = std::max(kBlock, 2 * set.capacity);
    const std::uint32_t begin = allocate(capacity);
    std::copy_n(list_of(set), set.size, pool_.data() + std::size_t{kBlock} * begin);
    release(set);
    set.begin = begin;
    set.capacity = capacity;
  }
  pool_[std::size_t{kBlock} * set.begin + set.size++] = entry;
}

std::uint32_t MutexSets::allocate(std::uint32_t capacity) {
  auto& free = free_[static_cast<std::size_t>(std::countr_zero(capacity))];
  if (!free.empty()) {
    const std::uint32_t begin = free.back();
    free.pop_back();
    return begin;
  }
  const auto begin = static_cast<std::uint32_t>(pool_.size() / kBlock);
  pool_.resize(pool_.size() + capacity);
  return begin;
}

void MutexSets::release(const Set& set) {
  if (set.capacity == 0) return;
  free_[static_cast<std::size_t>(std::countr_zero(set.capacity))].push_back(set.begin);
}

}  // namespace multicut
