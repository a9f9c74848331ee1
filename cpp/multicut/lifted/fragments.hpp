#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// Nodes of a fragment. Larger fragments are faster to search, and leave more to single nodes.
inline constexpr NodeId kFragment = 8;

// Small connected parts of the clusters that greedy contraction has made: contracts the same edges in the
// same order, as long as no more than `most_nodes` nodes are joined. Canonical.
Labels fragments(const Graph& graph, std::span<const EdgeId> contracted, NodeId most_nodes);

}  // namespace multicut
