#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

inline constexpr int kShortestCycle = 3;
inline constexpr int kLongestCycle = 8;

// Cycle i consists of the edges edges[offsets[i]] … edges[offsets[i + 1] − 1], in the order in which
// one meets them on the way around. The cycles of graph g are those from graph_offsets[g] to
// graph_offsets[g + 1] − 1.
struct ChordlessCycles {
  std::vector<std::int64_t> offsets{0};
  std::vector<EdgeId> edges;
  std::vector<std::int64_t> graph_offsets{0};
};

// A graph has more chordless cycles than the caller is willing to hold.
class TooManyCyclesError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// All chordless cycles of at most `max_length` edges (3 … 8), each once, of many graphs that are the
// parts of one: graph g has the nodes node_offsets[g] … node_offsets[g + 1] − 1, and no edge joins two
// graphs. The order depends on the graphs alone, not on the number of threads. `graph` must be
// simple. Throws TooManyCyclesError as soon as one graph has more than `max_cycles_per_graph`.
ChordlessCycles chordless_cycles(const Graph& graph, std::span<const std::int64_t> node_offsets,
                                 int max_length, std::size_t max_cycles_per_graph,
                                 int num_threads);

}  // namespace multicut
