#include "multicut/solvers/greedy_fixation.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "multicut/graph/contraction_graph.hpp"
#include "multicut/graph/edge_queue.hpp"

namespace multicut {
namespace {

std::vector<double> absolute(std::span<const double> costs) {
  std::vector<double> values(costs.size());
  for (std::size_t e = 0; e < costs.size(); ++e) values[e] = std::abs(costs[e]);
  return values;
}

}  // namespace

Labels greedy_fixation(const Graph& graph, std::span<const double> costs, Watch& watch) {
  double objective = std::accumulate(costs.begin(), costs.end(), 0.0);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const std::vector<double> keys = absolute(costs);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const Stop stop = [&] { return watch.expired(); };
  EdgeQueue queue(keys, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  ContractionGraph clusters(graph, costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  std::vector<std::uint8_t> is_forbidden(graph.num_edges(), 0);

  WorkMeter work;
  while (const auto item = queue.pop()) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    const auto& edge = clusters.edge(item->edge);
    if (edge.is_dead() || is_forbidden[item->edge]) continue;
    const double key = std::abs(edge.cost);
    if (key != item->key) {
      // The key is out of date. A cost that has grown was pushed when it grew.
      if (key > 0 && key < item->key) queue.push(key, item->edge);
      continue;
    }
    if (edge.cost < 0) {
      is_forbidden[item->edge] = 1;
      continue;
    }
    objective -= edge.cost;
    work += clusters.contract(item->edge, [&](EdgeId kept, EdgeId absorbed, double old_cost) {
      is_forbidden[kept] |= is_forbidden[absorbed];
      const double grown = std::abs(clusters.edge(kept).cost);
      if (!is_forbidden[kept] && grown > std::abs(old_cost)) queue.push(grown, kept);
    });
  }
  watch.improved(objective);
  return clusters.labels();
}

}  // namespace multicut
