#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace multicut {

// Memory for lists of ids that grow: blocks of 4, 8, 16 … entries that are used again. A block is
// named by its position, in units of the smallest one.
class ListPool {
 public:
  static constexpr std::uint32_t kSmallest = 4;

  std::uint32_t* at(std::uint32_t begin) {
    return entries_.data() + std::size_t{kSmallest} * begin;
  }
  const std::uint32_t* at(std::uint32_t begin) const {
    return entries_.data() + std::size_t{kSmallest} * begin;
  }

  // A block of a capacity that is a power of two of at least kSmallest. Moves all blocks in memory.
  std::uint32_t allocate(std::uint32_t capacity) {
    auto& free = free_[static_cast<std::size_t>(std::countr_zero(capacity))];
    if (!free.empty()) {
      const std::uint32_t begin = free.back();
      free.pop_back();
      return begin;
    }
    const auto begin = static_cast<std::uint32_t>(entries_.size() / kSmallest);
    entries_.resize(entries_.size() + capacity);
    return begin;
  }

  void release(std::uint32_t begin, std::uint32_t capacity) {
    free_[static_cast<std::size_t>(std::countr_zero(capacity))].push_back(begin);
  }

 private:
  std::vector<std::uint32_t> entries_;
  std::array<std::vector<std::uint32_t>, 32> free_;  // by the logarithm of their capacity
};

}  // namespace multicut
