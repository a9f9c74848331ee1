#pragma once

#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

// The block (maximal part without a cut vertex) that each edge belongs to, 0 … k−1. Cycles stay
// within blocks, so each block can be solved for itself.
std::vector<EdgeId> blocks(const Graph& graph);

}  // namespace multicut
