#pragma once

#include <cstdint>
#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// A good partition that needs no search; canonical. Single nodes, or what must-links make of them,
// or the components of the attractive edges, if these cost less and no cannot-link forbids them. So
// it meets all constraints, costs no more than single nodes do, and without cannot-links no more
// than 0, the cost of joining everything that is connected.
Labels trivial_partition(const Graph& graph, std::span<const double> costs);

// The same with what it cuts, for which there is room, and what it costs: in as few passes over the
// edges as that takes, since it may be all that there is time for.
struct Evaluated {
  Labels labels;
  double objective;
};
Evaluated evaluated_trivial_partition(const Graph& graph, std::span<const double> costs,
                                      std::span<std::uint8_t> cut);

// Nodes that must-links (cost +inf) join; canonical.
Labels must_link_groups(const Graph& graph, std::span<const double> costs);

}  // namespace multicut
