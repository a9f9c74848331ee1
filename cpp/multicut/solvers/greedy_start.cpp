#include "multicut/solvers/greedy_start.hpp"

#include "multicut/graph/quotient.hpp"
#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/gaec.hpp"

namespace multicut {

Labels greedy_start(const Graph& graph, std::span<const double> costs, Watch& watch) {
  Labels best = gaec(graph, costs, watch);
  if (watch.expired()) return best;
  double found = objective(graph, costs, best);
  Watch quiet = Watch::nested(watch, found, true);
  const Labels guided = dual_greedy(graph, costs, {}, quiet).labels;
  found -= take_better_regions(graph, costs, best, guided, [&] { return watch.expired(); });
  watch.improved(found);
  return best;
}

}  // namespace multicut
