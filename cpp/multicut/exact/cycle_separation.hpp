#pragma once

#include <limits>
#include <span>

#include "multicut/graph/cycles.hpp"
#include "multicut/graph/graph.hpp"

namespace multicut {

// Chordless cycles whose inequality y_e ≤ Σ_{f ∈ P} y_f is violated by `values` by more than
// `tolerance`: for each edge e the shortest path P between its ends, if that is shorter than e. Ties go
// to the path of fewer edges. Of each cycle, e comes first.
// After `time_limit` seconds it returns what it has; that there is none then proves nothing. The
// number of threads does not change the result.
Cycles separate_cycles(const Graph& graph, std::span<const double> values, double tolerance,
                       double time_limit = std::numeric_limits<double>::infinity(),
                       int num_threads = 1);

}  // namespace multicut
