#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Which repulsive edges forbid joins.
enum class Repulsion { kAll, kCannotLinks };

// Edges over the nodes of a graph that join nothing. Repulsive ones forbid joins, attractive ones have
// no effect.
struct LongRangeEdges {
  std::span<const Edge> edges;
  std::span<const double> costs;
};

// Mutex watershed (Wolf et al., ECCV 2018, TPAMI 2020): takes the edges by descending absolute cost,
// ties by ascending id, those of the graph first. An attractive one joins the clusters of its nodes,
// unless a repulsive one has forbidden it before. Costs may be infinite, if no must-link contradicts a
// cannot-link. Stopped early, it returns the clusters joined so far.
//
// If only cannot-links (cost −inf) forbid joins, this is single linkage.
Labels mutex_watershed(const Graph& graph, std::span<const double> costs, Watch& watch,
                       const LongRangeEdges& far = {}, Repulsion repulsion = Repulsion::kAll);

}  // namespace multicut
