#pragma once

#include <cmath>
#include <span>

#include "multicut/graph/sums.hpp"

namespace multicut {

// What single nodes cost: the sum of all costs that are not constraints.
inline double cost_of_nodes(std::span<const double> costs) {
  if (sums_are_finite(costs)) return quick_sum(costs);
  double sum = 0;
  for (const double cost : costs) sum += std::isinf(cost) ? 0 : cost;
  return sum;
}

}  // namespace multicut
