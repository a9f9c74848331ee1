#include "multicut/solvers/mutex_watershed.hpp"

#include <cmath>
#include <vector>

#include "multicut/graph/edge_queue.hpp"
#include "multicut/graph/mutex_sets.hpp"
#include "multicut/solvers/cost_of_nodes.hpp"

namespace multicut {
namespace {

// Fetches, one hop at a time, what the edges that come next in the queue will need.
void prefetch_next(const Graph& graph, const EdgeQueue& queue, const MutexSets& sets) {
  if (const EdgeId ahead = queue.peek(24); ahead != kNoEdge) prefetch(&graph.edge(ahead));
  if (const EdgeId ahead = queue.peek(16); ahead != kNoEdge) {
    sets.prefetch_node(graph.edge(ahead).u);
    sets.prefetch_node(graph.edge(ahead).v);
  }
  if (const EdgeId ahead = queue.peek(10); ahead != kNoEdge) {
    sets.prefetch_parent(graph.edge(ahead).u);
    sets.prefetch_parent(graph.edge(ahead).v);
  }
  if (const EdgeId ahead = queue.peek(5); ahead != kNoEdge) {
    sets.prefetch_pair(graph.edge(ahead).u, graph.edge(ahead).v);
  }
}

}  // namespace

Labels mutex_watershed(const Graph& graph, std::span<const double> costs, Watch& watch,
                       Repulsion repulsion) {
  // No objective is known before the end, but that of single nodes.
  const double objective = cost_of_nodes(costs);
  if (watch.improved(objective)) return singletons(graph.num_nodes());
  std::vector<double> keys(costs.size());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const bool counts = costs[e] > 0 || repulsion == Repulsion::kAll || std::isinf(costs[e]);
    keys[e] = counts ? std::abs(costs[e]) : 0;
  }
  const Stop stop = [&] { return watch.expired(); };
  EdgeQueue queue(keys, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  MutexSets sets(graph.num_nodes());

  WorkMeter work;
  while (const auto item = queue.pop()) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    prefetch_next(graph, queue, sets);
    const NodeId u = sets.find(graph.edge(item->edge).u);
    const NodeId v = sets.find(graph.edge(item->edge).v);
    if (u == v) continue;
    if (costs[item->edge] < 0) {
      sets.keep_apart(u, v);
    } else if (!sets.are_apart(u, v)) {
      work += sets.merge(u, v).work;
    }
  }
  return sets.labels();
}

}  // namespace multicut
