#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace multicut {

// The power of two by which finite costs have to be divided so that no sum of them overflows; mostly 0.
inline int exponent_for_sums(std::span<const double> costs) {
  double largest = 0;
  for (const double cost : costs) {
    if (!std::isinf(cost)) largest = std::max(largest, std::abs(cost));
  }
  if (largest == 0) return 0;
  const int most = std::numeric_limits<double>::max_exponent - 2 -
                   static_cast<int>(std::bit_width(costs.size()));
  return std::max(0, std::ilogb(largest) - most);
}

}  // namespace multicut
