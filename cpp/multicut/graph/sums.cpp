#include "multicut/graph/sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace multicut {
namespace {

// One operation after the other would wait for the result of the one before: there are several series.
constexpr std::size_t kLanes = 4;

}  // namespace

bool sums_are_exact(std::span<const double> costs) {
  constexpr int kDigits = std::numeric_limits<double>::digits;
  double total = 0;
  int step = std::numeric_limits<int>::max();  // exponent of the power of two
  for (const double cost : costs) {
    if (cost == 0) continue;
    int exponent = 0;
    const double mantissa = std::frexp(std::abs(cost), &exponent);
    const auto digits = static_cast<std::uint64_t>(std::ldexp(mantissa, kDigits));
    step = std::min(step, exponent - kDigits + std::countr_zero(digits));
    total += std::abs(cost);
    // A factor of two for the rounding of the total.
    if (total >= std::ldexp(1.0, kDigits - 1 + step)) return false;
  }
  return true;
}

bool sums_are_finite(std::span<const double> costs) {
  // An exponent that is this much below that of infinity: adding so much to it leaves the sign bit alone.
  constexpr std::uint64_t kMargin = std::uint64_t{33} << 52;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  std::uint64_t overflowing = 0;
  for (const double cost : costs) overflowing |= (std::bit_cast<std::uint64_t>(cost) & ~kSign) + kMargin;
  return (overflowing & kSign) == 0;
}

double quick_sum(std::span<const double> costs) {
  std::array<double, kLanes> sums{};
  std::size_t i = 0;
  for (; i + kLanes <= costs.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += costs[i + lane];
  }
  for (; i < costs.size(); ++i) sums[0] += costs[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double largest_size(std::span<const double> costs) {
  std::array<double, kLanes> largest{};
  std::size_t i = 0;
  for (; i + kLanes <= costs.size(); i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      largest[lane] = std::max(largest[lane], std::abs(costs[i + lane]));
    }
  }
  for (; i < costs.size(); ++i) largest[0] = std::max(largest[0], std::abs(costs[i]));
  return *std::ranges::max_element(largest);
}

}  // namespace multicut
