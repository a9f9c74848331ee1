#pragma once

#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// For each edge, what every partition that treats it otherwise than `labels` do costs more than `bound`,
// at least, where `bound` is minus the sum of what is `left` of repulsive costs. `left` is what a packing
// of cycles leaves of each |cost| (cycle_packing.hpp). A partition that cuts the edge pays what is left
// of it and of one edge of each attractive triangle through it; one that joins its ends pays what is left
// of the edge, or of one edge of each triangle in which they disagree about a third node.
std::vector<double> flip_bounds(const Graph& graph, std::span<const double> costs,
                                std::span<const double> left, const Labels& labels);

// For each edge, by how much the cheapest of a few simple changes that treat it otherwise changes the
// objective: moving one of its ends to another cluster or out of all, or joining two clusters.
// Infinite where all of these violate a constraint. `labels` are canonical.
std::vector<double> simple_flips(const Graph& graph, std::span<const double> costs,
                                 const Labels& labels);

}  // namespace multicut
