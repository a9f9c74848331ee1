#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/prefetch.hpp"

namespace multicut {

// Maps unordered pairs of different nodes to edges, by open addressing. Pairs that are not needed any
// more stay until the table is full.
class PairMap {
 public:
  // Makes room for so many pairs.
  explicit PairMap(std::size_t num_pairs) {
    slots_.resize(std::bit_ceil(2 * num_pairs + kFewSlots));
    shift_ = 64 - std::countr_zero(slots_.size());
  }

  // The edge of a pair, kNoEdge if there is none.
  EdgeId find(NodeId a, NodeId b) const {
    const std::uint64_t key = key_of(a, b);
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask()) {
      if (slots_[slot].key == key) return slots_[slot].edge;
      if (slots_[slot].key == kEmpty) return kNoEdge;
    }
  }

  // The edge of a pair, which is `edge` from now on if there was none. When the table is full, pairs
  // for which is_needed(a, b) is false are dropped before it grows.
  template <typename IsNeeded>
  EdgeId find_or_insert(NodeId a, NodeId b, EdgeId edge, const IsNeeded& is_needed) {
    if (2 * (size_ + 1) > slots_.size()) rebuild(is_needed);
    return place({key_of(a, b), edge});
  }

  void prefetch_pair(NodeId a, NodeId b) const {
    prefetch_to_write(&slots_[slot_of(key_of(a, b))]);
  }

 private:
  struct Slot {
    std::uint64_t key = kEmpty;
    EdgeId edge = kNoEdge;
  };

  // The larger node of a pair is not 0, so no pair has this key.
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::size_t kFewSlots = 16;

  static std::uint64_t key_of(NodeId a, NodeId b) {
    if (a > b) std::swap(a, b);
    return std::uint64_t{a} << 32 | b;
  }
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t slot_of(std::uint64_t key) const {
    // The leading bits of a product depend on all bits of the key.
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> shift_);
  }

  EdgeId place(const Slot& entry) {
    for (std::size_t slot = slot_of(entry.key);; slot = (slot + 1) & mask()) {
      if (slots_[slot].key == entry.key) return slots_[slot].edge;
      if (slots_[slot].key == kEmpty) {
        slots_[slot] = entry;
        ++size_;
        return entry.edge;
      }
    }
  }

  template <typename IsNeeded>
  void rebuild(const IsNeeded& is_needed) {
    std::vector<Slot> kept;
    for (const Slot& slot : slots_) {
      if (slot.key == kEmpty) continue;
      if (is_needed(static_cast<NodeId>(slot.key >> 32), static_cast<NodeId>(slot.key))) {
        kept.push_back(slot);
      }
    }
    // Unless a third of the table is free afterwards, it would be rebuilt soon.
    std::size_t num_slots = slots_.size();
    if (3 * (kept.size() + 1) > num_slots) num_slots *= 2;
    slots_.assign(num_slots, Slot{});
    shift_ = 64 - std::countr_zero(num_slots);
    size_ = 0;
    for (const Slot& slot : kept) place(slot);
  }

  std::vector<Slot> slots_;
  int shift_ = 0;
  std::size_t size_ = 0;
};

}  // namespace multicut
