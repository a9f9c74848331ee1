#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/search/clustering.hpp"
#include "multicut/search/ordered_graph.hpp"

namespace multicut {

struct NodeMove {
  NodeId node;
  NodeId from;
  NodeId to;
};

// Returns the i-th cluster that has no nodes.
using EmptyCluster = std::function<NodeId(std::size_t i)>;

// What moves gain at least, one after the other, from the costs themselves: rounding must not make a chain
// and its reverse look like gains both. The labels stay as they are.
double exact_gain(const OrderedGraph& graph, Clustering& clusters, std::span<const NodeMove> moves);

// Takes back the moves after the first `length`, as far as labels go, and forgets them.
inline void undo_moves(Clustering& clusters, std::vector<NodeMove>& moves, std::size_t length = 0) {
  while (moves.size() > length) {
    clusters.pretend(moves.back().node, moves.back().from);
    moves.pop_back();
  }
}

}  // namespace multicut
