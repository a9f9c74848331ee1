#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

// Cycles, or other sets of edges, one after the other: the i-th consists of the edges
// edges[offsets[i]] … edges[offsets[i + 1] − 1].
struct Cycles {
  std::vector<std::size_t> offsets{0};
  std::vector<EdgeId> edges;

  std::size_t size() const { return offsets.size() - 1; }

  std::span<const EdgeId> operator[](std::size_t i) const {
    return {edges.data() + offsets[i], edges.data() + offsets[i + 1]};
  }

  void append(const Cycles& others) {
    const std::size_t shift = edges.size();
    edges.insert(edges.end(), others.edges.begin(), others.edges.end());
    for (std::size_t i = 1; i < others.offsets.size(); ++i) {
      offsets.push_back(others.offsets[i] + shift);
    }
  }
};

}  // namespace multicut
