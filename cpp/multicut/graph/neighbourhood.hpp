#pragma once

#include <cstdint>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// Pairs u < v of nodes between which the shortest path has at least 2 and at most `distance` edges,
// ascending: u0 v0 u1 v1 …. Incomplete if stopped.
std::vector<std::int64_t> neighbourhood(const Graph& graph, std::uint32_t distance,
                                        const Stop& stop = kNeverStop);

}  // namespace multicut
