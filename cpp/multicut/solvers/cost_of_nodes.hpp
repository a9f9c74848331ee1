#pragma once

#include <cmath>
#include <span>

namespace multicut {

// What single nodes cost: the sum of all costs that are not constraints.
inline double cost_of_nodes(std::span<const double> costs) {
  double sum = 0;
  for (const double cost : costs) sum += std::isinf(cost) ? 0 : cost;
  return sum;
}

}  // namespace multicut
