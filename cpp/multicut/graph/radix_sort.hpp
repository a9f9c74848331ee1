#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/stop.hpp"

namespace multicut {

// Something with an id, and where it comes in an order.
struct Ranked {
  std::uint32_t rank;
  std::uint32_t id;
};

// Stable least-significant-digit radix sort by ascending rank. Returns whether it was completed.
template <std::size_t digit_bits>
bool radix_sort(std::vector<Ranked>& items, const Stop& stop) {
  constexpr std::size_t kNumDigits = (32 + digit_bits - 1) / digit_bits;
  constexpr std::uint32_t kMask = (1U << digit_bits) - 1;
  std::array<std::array<std::uint32_t, kMask + 1>, kNumDigits> counts{};
  for (const Ranked& item : items) {
    for (std::size_t digit = 0; digit < kNumDigits; ++digit) {
      ++counts[digit][(item.rank >> (digit * digit_bits)) & kMask];
    }
  }
  std::vector<Ranked> scratch(items.size());
  for (std::size_t digit = 0; digit < kNumDigits; ++digit) {
    if (stop()) return false;
    std::uint32_t sum = 0;
    for (std::uint32_t& count : counts[digit]) sum += std::exchange(count, sum);
    for (const Ranked& item : items) {
      scratch[counts[digit][(item.rank >> (digit * digit_bits)) & kMask]++] = item;
    }
    items.swap(scratch);
  }
  return true;
}

}  // namespace multicut
