#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// A good partition that needs no search; canonical. Single nodes, or what must-links make of them,
// or the components of the attractive edges, if these cost less and no cannot-link forbids them. So
// it meets all constraints, costs no more than single nodes do, and without cannot-links no more
// than 0, the cost of joining everything that is connected.
Labels trivial_partition(const Graph& graph, std::span<const double> costs);

// Nodes that must-links (cost +inf) join; canonical.
Labels must_link_groups(const Graph& graph, std::span<const double> costs);

}  // namespace multicut
