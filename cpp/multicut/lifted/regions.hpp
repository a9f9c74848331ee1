#pragma once

#include "multicut/graph/costly_edges.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/lifted/problem.hpp"

namespace multicut {

// Takes from a second partition what is better in it, as its namesake for ordinary problems. Edges between
// regions, lifted ones as well, are cut by both.
inline double take_better_regions(const LiftedProblem& problem, Labels& labels, const Labels& other,
                                  const Stop& stop = kNeverStop) {
  return take_better_regions(problem.edges(), labels, other, stop);
}

}  // namespace multicut
