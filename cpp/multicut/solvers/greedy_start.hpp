#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Where local search starts: what `gaec` finds, and what `dual_greedy` finds in the regions where that is
// better. So it is never worse than `gaec`, and on most graphs as good as `dual_greedy` or better.
// Large graphs keep two threads busy; the result does not depend on their number. Where too little time is
// left for `dual_greedy`, it is what `gaec` finds, and local search makes more of the rest.
Labels greedy_start(const Graph& graph, std::span<const double> costs,
                    const DualGreedyOptions& options, int num_threads, Watch& watch);

// Constants for a start that is followed by one run of local search: fewer rounds, in dense graphs fewer
// still. Local search ends about as well from there.
DualGreedyOptions quick_options(const Graph& graph);

// How much time has to be left for `dual_greedy`.
double seconds_to_guide(const Graph& graph);

}  // namespace multicut
