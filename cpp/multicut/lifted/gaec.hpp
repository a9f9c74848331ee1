#pragma once

#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Greedy additive edge contraction of a lifted problem (Keuper et al., ICCV 2015; Beier et al., ECCV
// 2016): contracts the ordinary edge between the two clusters whose joining gains most, lifted edges
// included, until none gains. Then joins what is connected where that is better than what is left:
// attractive lifted edges may remain between clusters that nothing attractive connects.
// Costs are finite, and no lifted edge is parallel to an ordinary one. Stopped early, it returns the
// clusters contracted so far.
// `contracted`, if it is given, gets the ordinary edges among those that were contracted, in order.
Labels gaec(const LiftedProblem& problem, Watch& watch, std::vector<EdgeId>* contracted = nullptr);

}  // namespace multicut
