#include "multicut/solvers/gaec.hpp"

#include <numeric>

#include "multicut/graph/contraction_graph.hpp"
#include "multicut/graph/edge_queue.hpp"

namespace multicut {
Labels gaec(const Graph& graph, std::span<const double> costs, Watch& watch) {
  double objective = std::accumulate(costs.begin(), costs.end(), 0.0);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const Stop stop = [&] { return watch.expired(); };
  EdgeQueue queue(costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  ContractionGraph clusters(graph, costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());

  WorkMeter work;
  while (const auto item = queue.pop()) {
    if (work.is_due(1) && watch.should_stop(objective)) return clusters.labels();
    clusters.prefetch_next(queue);

    const auto& edge = clusters.edge(item->edge);
    if (edge.is_dead()) continue;
    if (edge.cost != item->key) {
      // The key is out of date. A cost that has grown was pushed when it grew.
      if (edge.cost > 0 && edge.cost < item->key) queue.push(edge.cost, item->edge);
      continue;
    }
    objective -= edge.cost;
    work += clusters.contract(item->edge, [&](EdgeId kept, EdgeId, double old_cost) {
      const double cost = clusters.edge(kept).cost;
      if (cost > 0 && cost > old_cost) queue.push(cost, kept);
    });
  }
  // Every contraction was a gain and lay within a component of the attractive edges, and none of what
  // is left attracts: neither single nodes nor those components cost less.
  watch.set_beyond_trivial();
  watch.improved(objective);
  return clusters.labels();
}

}  // namespace multicut
