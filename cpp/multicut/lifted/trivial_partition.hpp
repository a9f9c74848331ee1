#pragma once

#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"

namespace multicut {

// The best of three partitions that need no search; canonical, its clusters connected: single nodes,
// or what must-links make of them; the components of the attractive edges; and those of the graph
// without cannot-links. Lifted must-links are met along the trees of a breadth-first search. So it
// costs no more than single nodes do if there are no must-links, and without cannot-links no more
// than joining everything that is connected. If none of the three meets all constraints, which with
// lifted must-links is hard to do, the first comes back.
Labels trivial_partition(const LiftedProblem& problem);

// What must-links make of single nodes: ends of lifted ones are joined along paths without cannot-links. Each
// cluster is connected; lifted cannot-links may be violated.
Labels join_must_links(const LiftedProblem& problem);

}  // namespace multicut
