#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Greedy additive edge contraction (Keuper et al., ICCV 2015): contracts the edge of the largest
// positive cost until none is left. Costs are finite. Stopped early, it returns the clusters
// contracted so far.
Labels gaec(const Graph& graph, std::span<const double> costs, Watch& watch);

}  // namespace multicut
