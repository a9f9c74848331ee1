#include "multicut/graph/sums.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>

namespace multicut {

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

}  // namespace multicut
