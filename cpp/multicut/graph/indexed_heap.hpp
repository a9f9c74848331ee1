#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

// Nodes with keys that can change; hands out the largest key first. A popped node stays known as
// such until all is cleared. One instance serves many short searches: clearing costs as much as was
// pushed. While there are few nodes they are just searched; a heap pays later.
class IndexedHeap {
 public:
  struct Item {
    double key;
    NodeId node;
  };

  explicit IndexedHeap(NodeId num_nodes) : position_(num_nodes, kAbsent) {}

  bool empty() const { return items_.empty(); }
  bool contains(NodeId node) const { return position_[node] < kPopped; }
  bool was_popped(NodeId node) const { return position_[node] == kPopped; }

  void push(NodeId node, double key) {
    position_[node] = static_cast<std::uint32_t>(items_.size());
    items_.push_back({key, node});
    if (is_heap_) {
      rise(items_.size() - 1);
    } else if (items_.size() > kFew) {
      for (std::size_t at = items_.size() / 2; at-- > 0;) sink(at);
      is_heap_ = true;
    }
  }

  Item pop() {
    std::size_t at = 0;
    if (!is_heap_) {
      double most = items_[0].key;
      for (std::size_t i = 1; i < items_.size(); ++i) {
        const double key = items_[i].key;
        at = key > most ? i : at;
        most = key > most ? key : most;
      }
    }
    const Item best = items_[at];
    position_[best.node] = kPopped;
    popped_.push_back(best.node);
    const Item last = items_.back();
    items_.pop_back();
    if (at < items_.size()) {
      place(at, last);
      if (is_heap_) sink(at);
    }
    return best;
  }

  // Adds to the key of a node that is contained.
  void add(NodeId node, double change) {
    const std::size_t at = position_[node];
    items_[at].key += change;
    if (!is_heap_) return;
    if (change > 0) {
      rise(at);
    } else {
      sink(at);
    }
  }

  void clear() {
    for (const Item& item : items_) position_[item.node] = kAbsent;
    for (const NodeId node : popped_) position_[node] = kAbsent;
    items_.clear();
    popped_.clear();
    is_heap_ = false;
  }

 private:
  static constexpr std::uint32_t kAbsent = kNoNode;
  static constexpr std::uint32_t kPopped = kNoNode - 1;
  static constexpr std::size_t kFew = 128;

  void rise(std::size_t at) {
    const Item item = items_[at];
    while (at > 0) {
      const std::size_t parent = (at - 1) / 2;
      if (item.key <= items_[parent].key) break;
      place(at, items_[parent]);
      at = parent;
    }
    place(at, item);
  }

  void sink(std::size_t at) {
    const Item item = items_[at];
    for (;;) {
      std::size_t child = 2 * at + 1;
      if (child >= items_.size()) break;
      if (child + 1 < items_.size() && items_[child + 1].key > items_[child].key) ++child;
      if (items_[child].key <= item.key) break;
      place(at, items_[child]);
      at = child;
    }
    place(at, item);
  }

  void place(std::size_t at, const Item& item) {
    items_[at] = item;
    position_[item.node] = static_cast<std::uint32_t>(at);
  }

  std::vector<Item> items_;
  std::vector<NodeId> popped_;
  std::vector<std::uint32_t> position_;
  bool is_heap_ = false;
};

}  // namespace multicut
