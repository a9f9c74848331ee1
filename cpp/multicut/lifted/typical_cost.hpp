#pragma once

#include "multicut/lifted/problem.hpp"
#include "multicut/solvers/typical_cost.hpp"

namespace multicut {

// What a cost of either kind is like; see its namesake for ordinary problems.
inline double typical_cost(const LiftedProblem& problem) {
  const auto num_edges = static_cast<double>(problem.costs.size());
  const auto num_lifted = static_cast<double>(problem.lifted_costs.size());
  if (num_edges + num_lifted == 0) return 0;
  return (num_edges * typical_cost(problem.costs) + num_lifted * typical_cost(problem.lifted_costs)) /
         (num_edges + num_lifted);
}

}  // namespace multicut
