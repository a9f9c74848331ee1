#pragma once

#include <span>

namespace multicut {

// What a cost is like: the mean absolute cost, leaving out the few that are so large that they must
// be meant as constraints. Solvers measure noise, losses and rounding in this unit.
double typical_cost(std::span<const double> costs);

}  // namespace multicut
