#pragma once

#include <limits>
#include <span>

#include "multicut/graph/cycles.hpp"
#include "multicut/graph/graph.hpp"

namespace multicut {

// Cut inequalities of lifted edges that `values` violate by more than `tolerance`. A lifted edge f = uv
// may only be joined if a path of ordinary edges is, and then all nodes w of the path are joined with
// u and v. So for each set D of edges of either kind that hits every path between u and v, either by
// an edge of the path or by an edge uw or wv to one of its nodes,
//   1 − y_f ≤ Σ_{e ∈ D} (1 − y_e).
// If D consists of edges of the paths alone, these are the cut inequalities of Horňáková, Lange and
// Andres (2017); D is smaller where nodes are hit instead of the edges at them.
// Of each inequality, f comes first, then D. Each f gets the smallest D next to its two ends.
// `both` holds the edges of `ordinary`, in the same order, followed by the lifted ones; `values` are
// those of its edges. That nothing comes back proves that nothing is violated, unless `time_limit`
// seconds were too few. The number of threads does not change the result.
Cycles separate_cuts(const Graph& ordinary, const Graph& both, std::span<const double> values,
                     double tolerance,
                     double time_limit = std::numeric_limits<double>::infinity(),
                     int num_threads = 1);

}  // namespace multicut
