#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/prefetch.hpp"

namespace multicut {

// A set of unordered pairs of different nodes, by open addressing.
class PairSet {
 public:
  bool contains(NodeId a, NodeId b) const {
    const std::uint64_t key = key_of(a, b);
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask()) {
      if (slots_[slot] == key) return true;
      if (slots_[slot] == kEmpty) return false;
    }
  }

  // Returns whether the pair is new. When the table is full, pairs for which is_needed(a, b) is false
  // are dropped before it grows.
  template <typename IsNeeded>
  bool insert(NodeId a, NodeId b, const IsNeeded& is_needed) {
    if (2 * (size_ + 1) > slots_.size()) rebuild(is_needed);
    const bool is_new = place(key_of(a, b));
    size_ += is_new ? 1 : 0;
    return is_new;
  }

  void prefetch_pair(NodeId a, NodeId b) const { prefetch(&slots_[slot_of(key_of(a, b))]); }

  std::size_t size() const { return size_; }

 private:
  // The larger node of a pair is not 0, so no pair has this key.
  static constexpr std::uint64_t kEmpty = 0;
  static constexpr std::size_t kFewSlots = 1 << 10;

  static std::uint64_t key_of(NodeId a, NodeId b) {
    if (a > b) std::swap(a, b);
    return std::uint64_t{a} << 32 | b;
  }
  std::size_t mask() const { return slots_.size() - 1; }
  std::size_t slot_of(std::uint64_t key) const {
    // The leading bits of a product depend on all bits of the key.
    return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> shift_);
  }

  bool place(std::uint64_t key) {
    for (std::size_t slot = slot_of(key);; slot = (slot + 1) & mask()) {
      if (slots_[slot] == key) return false;
      if (slots_[slot] == kEmpty) {
        slots_[slot] = key;
        return true;
      }
    }
  }

  template <typename IsNeeded>
  void rebuild(const IsNeeded& is_needed) {
    std::vector<std::uint64_t> kept;
    for (const std::uint64_t key : slots_) {
      if (key != kEmpty && is_needed(static_cast<NodeId>(key >> 32), static_cast<NodeId>(key))) {
        kept.push_back(key);
      }
    }
    // Room for as many again, and then some: otherwise it would be rebuilt soon.
    std::size_t num_slots = slots_.size();
    if (6 * (kept.size() + 1) > num_slots * 2) num_slots *= 2;
    slots_ = {};
    slots_.resize(num_slots, kEmpty);
    shift_ = 64 - std::countr_zero(num_slots);
    for (const std::uint64_t key : kept) place(key);
    size_ = kept.size();
  }

  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(kFewSlots, kEmpty);
  int shift_ = 64 - std::countr_zero(kFewSlots);
  std::size_t size_ = 0;
};

}  // namespace multicut
