#include "multicut/graph/mutex_sets.hpp"

#include <algorithm>
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
  if (absorbed.capacity > 0) pool_.release(absorbed.begin, absorbed.capacity);
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
    const std::uint32_t capacity = std::max(ListPool::kSmallest, 2 * set.capacity);
    const std::uint32_t begin = pool_.allocate(capacity);
    std::copy_n(list_of(set), set.size, pool_.at(begin));
    if (set.capacity > 0) pool_.release(set.begin, set.capacity);
    set.begin = begin;
    set.capacity = capacity;
  }
  pool_.at(set.begin)[set.size++] = entry;
}

}  // namespace multicut
