#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

// Cycle inequalities y_e ≤ Σ_{f ∈ P} y_f, one after the other: cycle i consists of the edges
// edges[offsets[i]] … edges[offsets[i + 1] − 1], e first, then the path P.
struct Cycles {
  std::vector<std::size_t> offsets{0};
  std::vector<EdgeId> edges;

  std::size_t size() const { return offsets.size() - 1; }
};

// Chordless cycles whose inequality `values` violates by more than `tolerance`: for each edge e the
// shortest path between its ends, if that is shorter than e. Ties go to the path of fewer edges.
// After `time_limit` seconds it returns what it has; that there is none then proves nothing.
Cycles separate_cycles(const Graph& graph, std::span<const double> values, double tolerance,
                       double time_limit = std::numeric_limits<double>::infinity());

}  // namespace multicut
