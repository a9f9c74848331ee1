#pragma once

#include <limits>
#include <span>

#include "multicut/graph/cycles.hpp"
#include "multicut/graph/graph.hpp"

namespace multicut {

// Odd wheel inequalities (Chopra and Rao 1993) that `values` violate by more than `tolerance`: for an
// odd cycle of k nodes, the rim, all of them neighbours of a centre,
//   Σ_{rim} y_e − Σ_{spokes} y_e ≤ (k − 1) / 2.
// Of each wheel, the edges of the rim come first, then as many spokes. `values` must satisfy the
// inequalities of triangles. After `time_limit` seconds it returns what it has.
Cycles separate_odd_wheels(const Graph& graph, std::span<const double> values, double tolerance,
                           double time_limit = std::numeric_limits<double>::infinity());

}  // namespace multicut
