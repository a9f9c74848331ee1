#pragma once

#include "multicut/graph/partition.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/lifted/problem.hpp"

namespace multicut {

// Takes from a second partition what is better in it, as its namesake for ordinary problems: where clusters of
// the two overlap they form regions, closed under both, and each region takes the cheaper of its two
// partitions. Edges between regions, lifted ones as well, are cut by both. Returns by how much the
// objective went down. Takes nothing if stopped.
double take_better_regions(const LiftedProblem& problem, Labels& labels, const Labels& other,
                           const Stop& stop = kNeverStop);

}  // namespace multicut
