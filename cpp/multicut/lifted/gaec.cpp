#include "multicut/lifted/gaec.hpp"

#include "multicut/graph/bucket_queue.hpp"
#include "multicut/graph/sums.hpp"
#include "multicut/lifted/contraction.hpp"
#include "multicut/lifted/join_components.hpp"

namespace multicut {

Labels gaec(const LiftedProblem& problem, Watch& watch, std::vector<EdgeId>* contracted) {
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  double objective = quick_sum(costs) + quick_sum(lifted_costs);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const Stop stop = [&] { return watch.expired(); };
  BucketQueue queue(costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  LiftedContraction clusters(problem, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  const auto is_dead = [&](EdgeId e) { return clusters.is_dead(e); };
  WorkMeter work;
  while (const auto item = queue.pop(is_dead)) {
    if (work.is_due(1) && watch.should_stop(objective)) return clusters.labels();
    clusters.prefetch_next(queue);

    if (is_dead(item->edge)) continue;
    if (const double cost = clusters.cost(item->edge); cost != item->key) {
      // The key is out of date. A cost that has grown was pushed when it grew.
      if (cost > 0 && cost < item->key) queue.push(cost, item->edge);
      continue;
    }
    objective -= item->key;
    if (contracted != nullptr && item->edge < graph.num_edges()) contracted->push_back(item->edge);
    work += clusters.contract(
        item->edge, [&](EdgeId kept, EdgeId, double old_cost, bool did_connect) {
          const double cost = clusters.cost(kept);
          const bool is_news = cost > old_cost || !did_connect;
          if (cost > 0 && is_news && clusters.connects(kept)) queue.push(cost, kept);
        });
  }
  Labels labels = join_components(clusters, objective);
  // Every contraction was a gain, and so is what is joined at the end.
  watch.set_beyond_trivial();
  watch.improved(objective);
  return labels;
}

}  // namespace multicut
