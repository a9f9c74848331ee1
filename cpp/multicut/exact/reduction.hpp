#pragma once

#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A smaller problem with the same optimum. Any optimal labels of its nodes, taken over by the nodes
// that each stands for, are optimal for the original.
struct Reduction {
  Labels group_of;        // the node of the smaller problem that each original node became
  WeightedGraph problem;  // edges that some optimal solution cuts for sure are left out
  double offset = 0;      // what these cost
  // What rounding may have changed, at most: the optimum of the original is no less than that of the
  // smaller problem plus the offset, less this. Zero where all sums are exact, as those of integers are.
  double error = 0;

  Labels lift(std::span<const NodeId> labels) const;
};

// Contracts sure joins (see sure_joins.hpp) and leaves out sure cuts, the edges between different
// components of the attractive edges, until neither does anything more. If the watch ends it before,
// the problem is less small. Costs are finite, and so are their sums.
Reduction reduce(const Graph& graph, std::span<const double> costs, Watch& watch);

}  // namespace multicut
