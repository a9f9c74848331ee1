#include "multicut/lifted/greedy_fixation.hpp"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "multicut/graph/bucket_queue.hpp"
#include "multicut/lifted/contraction.hpp"

namespace multicut {
namespace {

// An attractive lifted edge has no key: it cannot be contracted.
std::vector<double> first_keys(const LiftedProblem& problem) {
  std::vector<double> keys;
  keys.reserve(problem.costs.size() + problem.lifted_costs.size());
  for (const double cost : problem.costs) keys.push_back(std::abs(cost));
  for (const double cost : problem.lifted_costs) keys.push_back(cost < 0 ? -cost : 0);
  return keys;
}

}  // namespace

Labels greedy_fixation(const LiftedProblem& problem, Watch& watch) {
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  double objective = std::accumulate(costs.begin(), costs.end(), 0.0) +
                     std::accumulate(lifted_costs.begin(), lifted_costs.end(), 0.0);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const std::vector<double> keys = first_keys(problem);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const Stop stop = [&] { return watch.expired(); };
  BucketQueue queue(keys, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  LiftedContraction clusters(problem, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  std::vector<std::uint8_t> is_forbidden(clusters.num_ids(), 0);
  const auto key_of = [&](EdgeId e) {
    const double cost = clusters.cost(e);
    return cost < 0 || clusters.connects(e) ? std::abs(cost) : 0;
  };

  const auto is_dead = [&](EdgeId e) { return clusters.is_dead(e); };
  WorkMeter work;
  while (const auto item = queue.pop(is_dead)) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    if (is_dead(item->edge) || is_forbidden[item->edge]) continue;
    const double key = key_of(item->edge);
    if (key != item->key) {
      // The key is out of date. A key that has grown was pushed when it grew.
      if (key > 0 && key < item->key) queue.push(key, item->edge);
      continue;
    }
    if (clusters.cost(item->edge) < 0) {
      is_forbidden[item->edge] = 1;
      continue;
    }
    objective -= key;
    work += clusters.contract(item->edge, [&](EdgeId kept, EdgeId absorbed, double, bool) {
      is_forbidden[kept] |= is_forbidden[absorbed];
      const double grown = key_of(kept);
      if (!is_forbidden[kept] && grown > 0) queue.push(grown, kept);
    });
  }
  watch.improved(objective);
  return clusters.labels();
}

}  // namespace multicut
