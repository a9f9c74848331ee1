#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/lifted/problem.hpp"

namespace multicut {

// A lifted problem with its own memory.
struct OwnLiftedProblem {
  WeightedGraph ordinary;
  WeightedGraph lifted;

  LiftedProblem view() const {
    return {ordinary.graph, ordinary.costs, lifted.graph, lifted.costs};
  }
};

// The problem whose nodes are the clusters 0 … num_clusters−1 of `labels`. The costs between two of them
// add up, to that of an ordinary edge if any edge between them is one, else to that of a lifted edge.
// So no lifted edge is parallel to an ordinary one. Must not be used if `stop` became true meanwhile:
// then it is incomplete.
OwnLiftedProblem quotient(const LiftedProblem& problem, std::span<const NodeId> labels,
                          NodeId num_clusters, const Stop& stop = kNeverStop);

}  // namespace multicut
