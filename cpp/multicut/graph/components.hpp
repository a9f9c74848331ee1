#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "multicut/graph/concurrent_sets.hpp"
#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/graph/union_find.hpp"
#include "multicut/parallel/parallel_for.hpp"

namespace multicut {

// Ends of edges are read in an order that jumps through memory; they are fetched ahead.
template <typename Sets, typename Joins>
void join_edges(const Graph& graph, Joins joins, Sets& sets, EdgeId begin, EdgeId end) {
  constexpr EdgeId kAhead = 16;
  for (EdgeId e = begin; e < end; ++e) {
    if (e + kAhead < graph.num_edges()) sets.prefetch(graph.edge(e + kAhead).v);
    if (joins(e)) sets.merge(graph.edge(e).u, graph.edge(e).v);
  }
}

// No node has a parent of a larger id.
template <typename Sets>
Labels labels_of_sets(const Sets& sets, NodeId num_nodes) {
  Labels labels(num_nodes);
  NodeId count = 0;
  for (NodeId node = 0; node < num_nodes; ++node) {
    // Parents have their labels by now.
    const NodeId parent = sets.parent(node);
    labels[node] = parent == node ? count++ : labels[parent];
  }
  return labels;
}

// Components of the graph that consists of the edges for which joins(e) is true; canonical. Empty if
// stopped. On large graphs, several threads call `joins`, and that of the caller alone calls `stop`.
template <typename Joins>
Labels components_of(const Graph& graph, Joins joins, const Stop& stop = kNeverStop) {
  constexpr EdgeId kEdgesBetweenChecks = 1 << 16;
  const EdgeId num_edges = graph.num_edges();
  const auto end_of = [&](EdgeId begin) {
    return num_edges - begin > kEdgesBetweenChecks ? begin + kEdgesBetweenChecks : num_edges;
  };
  if (const int num_threads = threads_for_pass(num_edges); num_threads > 1) {
    ConcurrentSets sets(graph.num_nodes());
    std::atomic<bool> stopped = stop();
    const auto make_body = [&](bool is_caller) {
      return [&, is_caller](std::size_t i) {
        if (is_caller && stop()) stopped.store(true, std::memory_order_relaxed);
        if (stopped.load(std::memory_order_relaxed)) return;
        const auto begin = static_cast<EdgeId>(i) * kEdgesBetweenChecks;
        join_edges(graph, joins, sets, begin, end_of(begin));
      };
    };
    const std::size_t num_ranges = (std::size_t{num_edges} + kEdgesBetweenChecks - 1) / kEdgesBetweenChecks;
    parallel_for(num_ranges, num_threads, make_body);
    return stopped ? Labels{} : labels_of_sets(sets, graph.num_nodes());
  }
  UnionFind sets(graph.num_nodes());
  for (EdgeId begin = 0; begin < num_edges;) {
    if (stop()) return {};
    join_edges(graph, joins, sets, begin, end_of(begin));
    begin = end_of(begin);
  }
  return labels_of_sets(sets, graph.num_nodes());
}

}  // namespace multicut
