#pragma once

#include "multicut/graph/partition.hpp"
#include "multicut/lifted/contraction.hpp"

namespace multicut {

// The clusters that contraction of a lifted problem ended with; canonical. All those of a component,
// by edges that connect, are one where the edges between them cost more than nothing:
// attractive lifted edges may be left between clusters that nothing attractive connects. Lowers the
// objective by what that gains.
Labels join_components(LiftedContraction& clusters, double& objective);

}  // namespace multicut
