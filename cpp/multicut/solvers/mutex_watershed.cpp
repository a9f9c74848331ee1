#include "multicut/solvers/mutex_watershed.hpp"

#include <cmath>
#include <vector>

#include "multicut/graph/edge_queue.hpp"
#include "multicut/graph/mutex_sets.hpp"
#include "multicut/graph/prefetch.hpp"
#include "multicut/solvers/cost_of_nodes.hpp"

namespace multicut {
namespace {

// Edges of the graph, then those of long range, under one numbering.
class AllEdges {
 public:
  AllEdges(std::span<const Edge> near, std::span<const Edge> far)
      : near_(near.data()), far_(far.data()), num_near_(static_cast<EdgeId>(near.size())) {}

  const Edge& operator[](EdgeId e) const { return is_near(e) ? near_[e] : far_[e - num_near_]; }
  bool is_near(EdgeId e) const { return e < num_near_; }

 private:
  const Edge* near_;
  const Edge* far_;
  EdgeId num_near_;
};

// What edges are sorted by; those that have no effect have the key 0.
std::vector<double> keys_of(std::span<const double> costs, std::span<const double> far_costs,
                            Repulsion repulsion) {
  std::vector<double> keys(costs.size() + far_costs.size());
  for (std::size_t e = 0; e < costs.size(); ++e) {
    const bool counts = (costs[e] > 0) | (repulsion == Repulsion::kAll) | std::isinf(costs[e]);
    keys[e] = counts ? std::abs(costs[e]) : 0;
  }
  for (std::size_t e = 0; e < far_costs.size(); ++e) {
    keys[costs.size() + e] = far_costs[e] < 0 ? -far_costs[e] : 0;
  }
  return keys;
}

// Fetches, one hop at a time, what the edges that come next in the queue will need.
void prefetch_next(const AllEdges& edges, const EdgeQueue& queue, const MutexSets& sets) {
  if (const EdgeId ahead = queue.peek(24); ahead != kNoEdge) prefetch(&edges[ahead]);
  if (const EdgeId ahead = queue.peek(16); ahead != kNoEdge) {
    sets.prefetch_node(edges[ahead].u);
    sets.prefetch_node(edges[ahead].v);
  }
  if (const EdgeId ahead = queue.peek(10); ahead != kNoEdge) {
    sets.prefetch_parent(edges[ahead].u);
    sets.prefetch_parent(edges[ahead].v);
  }
  if (const EdgeId ahead = queue.peek(5); ahead != kNoEdge) {
    sets.prefetch_pair(edges[ahead].u, edges[ahead].v);
  }
}

}  // namespace

Labels mutex_watershed(const Graph& graph, std::span<const double> costs, Watch& watch,
                       const LongRangeEdges& far, Repulsion repulsion) {
  // No objective is known before the end, but that of single nodes.
  const double objective = cost_of_nodes(costs) + cost_of_nodes(far.costs);
  if (watch.improved(objective)) return singletons(graph.num_nodes());
  const std::vector<double> keys = keys_of(costs, far.costs, repulsion);
  const Stop stop = [&] { return watch.expired(); };
  EdgeQueue queue(keys, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const AllEdges edges(graph.edges(), far.edges);
  MutexSets sets(graph.num_nodes());

  WorkMeter work;
  while (const auto item = queue.pop()) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    prefetch_next(edges, queue, sets);
    const NodeId u = sets.find(edges[item->edge].u);
    const NodeId v = sets.find(edges[item->edge].v);
    if (u == v) continue;
    if (!edges.is_near(item->edge) || costs[item->edge] < 0) {
      sets.keep_apart(u, v);
    } else if (!sets.are_apart(u, v)) {
      work += sets.merge(u, v).work;
    }
  }
  return sets.labels();
}

}  // namespace multicut
