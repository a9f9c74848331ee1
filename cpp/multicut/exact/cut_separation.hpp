#pragma once

#include <limits>
#include <span>

#include "multicut/graph/cycles.hpp"
#include "multicut/graph/graph.hpp"

namespace multicut {

// Cut inequalities of lifted edges that `values` violate by more than `tolerance`. A lifted edge f may
// only be joined if a path of ordinary edges is: for each set C of these that separates its ends,
//   1 − y_f ≤ Σ_{e ∈ C} (1 − y_e).
// Of each inequality, f comes first, then C. Each f gets the smallest cuts next to its two ends.
// `both` holds the edges of `ordinary`, in the same order, followed by the lifted ones; `values` are
// those of its edges. That nothing comes back proves that nothing is violated, unless `time_limit`
// seconds were too few. The number of threads does not change the result.
Cycles separate_cuts(const Graph& ordinary, const Graph& both, std::span<const double> values,
                     double tolerance,
                     double time_limit = std::numeric_limits<double>::infinity(),
                     int num_threads = 1);

}  // namespace multicut
