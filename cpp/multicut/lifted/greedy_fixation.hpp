#pragma once

#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Greedy fixation of a lifted problem: takes the edge of the largest absolute cost, of either kind. If it
// attracts and connects, contracts it; if it repels, forbids joining its two clusters. Attractive lifted
// edges that do not connect wait until they do. Costs are finite, and no lifted edge is parallel to an
// ordinary one. Stopped early, it returns the clusters contracted so far.
Labels greedy_fixation(const LiftedProblem& problem, Watch& watch);

}  // namespace multicut
