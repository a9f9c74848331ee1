#pragma once

#include <cstddef>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/graph/union_find.hpp"

namespace multicut {

// Components of the graph that consists of the edges for which joins(e) is true; canonical. Empty if
// stopped.
template <typename Joins>
Labels components_of(const Graph& graph, Joins joins, const Stop& stop = kNeverStop) {
  // Ends of edges are read in an order that jumps through memory; they are fetched ahead.
  constexpr EdgeId kAhead = 16;
  constexpr EdgeId kEdgesBetweenChecks = 1 << 16;
  UnionFind sets(graph.num_nodes());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (e % kEdgesBetweenChecks == 0 && stop()) return {};
    if (e + kAhead < graph.num_edges()) sets.prefetch(graph.edge(e + kAhead).v);
    if (joins(e)) sets.merge(graph.edge(e).u, graph.edge(e).v);
  }
  Labels labels(graph.num_nodes());
  NodeId count = 0;
  for (NodeId node = 0; node < labels.size(); ++node) {
    // Parents have smaller ids, so they have their labels by now.
    const NodeId parent = sets.parent(node);
    labels[node] = parent == node ? count++ : labels[parent];
  }
  return labels;
}

}  // namespace multicut
