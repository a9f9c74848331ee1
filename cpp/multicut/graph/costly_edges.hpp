#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// Edges and what they cost: one kind of edges among several over the same nodes. Refers to its parts, which
// must outlive it.
struct CostlyEdges {
  const Graph& graph;
  std::span<const double> costs;
};

// As its namesake for edges of one kind.
double take_better_regions(std::span<const CostlyEdges> edges, Labels& labels, const Labels& other,
                           const Stop& stop = kNeverStop);

}  // namespace multicut
