#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Greedy fixation (Levinkov, Kirillov and Andres, GCPR 2017): takes the edge of the largest absolute
// cost; contracts it if it attracts, and forbids joining its two clusters if it repels. Costs are
// finite. Stopped early, it returns the clusters contracted so far.
Labels greedy_fixation(const Graph& graph, std::span<const double> costs, Watch& watch);

}  // namespace multicut
