#pragma once

#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/quotient.hpp"

namespace multicut {

// A smaller problem with the same optimum. Any optimal labels of its nodes, taken over by the nodes
// that each stands for, are optimal for the original.
struct Reduction {
  Labels group_of;        // the node of the smaller problem that each original node became
  WeightedGraph problem;  // edges that some optimal solution cuts for sure are left out
};

// Applies two criteria until neither does anything more. Joins: an edge that attracts at least as
// much as all other edges of one of its ends weigh together is contracted (Alush and Goldberger
// 2012; Lange, Andres and Swoboda 2018). Cuts: edges between different components of the
// attractive edges are left out. Costs are finite.
Reduction reduce(const Graph& graph, std::span<const double> costs);

// The block (maximal part without a cut vertex) that each edge belongs to, 0 … k−1. Cycles stay
// within blocks, so each block can be solved for itself.
std::vector<EdgeId> blocks(const Graph& graph);

}  // namespace multicut
