#include <algorithm>
#include <vector>

#include "framework.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/gaec_prefix.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

// Groups that attract each other by less than the threshold, by definition: joined until none do.
Labels groups_of(const WeightedGraph& problem, double threshold) {
  Labels groups = singletons(problem.graph.num_nodes());
  std::vector<double> attraction(problem.costs);
  for (double& cost : attraction) cost = std::max(cost, 0.0);
  for (bool is_done = false; !is_done;) {
    is_done = true;
    const NodeId count = make_canonical(groups);
    const WeightedGraph between = quotient(problem.graph, attraction, groups, count);
    for (EdgeId e = 0; e < between.graph.num_edges() && is_done; ++e) {
      if (between.costs[e] < threshold) continue;
      const auto [u, v] = between.graph.edge(e);
      for (NodeId& group : groups) group = group == v ? u : group;
      is_done = false;
    }
  }
  return groups;
}

}  // namespace

TEST_CASE("what is joined for sure is joined by gaec") {
  for (const auto kind : {problems::Costs::kNormal, problems::Costs::kSmallIntegers}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const auto problem = problems::random_problem(30, 15, kind, seed);
      Watch watch;
      const Labels greedy = gaec(problem.graph, problem.costs, watch);
      for (const double threshold : {0.3, 0.8, 1.5}) {
        Labels groups = groups_of(problem, threshold);
        const NodeId count = make_canonical(groups);
        for (const int num_threads : {1, 3}) {
          const Labels found = gaec_prefix(problem.graph, problem.costs, groups, count, threshold,
                                           num_threads);
          for (NodeId u = 0; u < found.size(); ++u) {
            for (NodeId v = 0; v < u; ++v) {
              if (found[u] == found[v]) CHECK(greedy[u] == greedy[v]);
            }
          }
          if (kind == problems::Costs::kSmallIntegers) continue;
          // Without ties, nothing that costs as much is left.
          const NodeId clusters = *std::ranges::max_element(found) + 1;
          const auto rest = quotient(problem.graph, problem.costs, found, clusters);
          for (const double cost : rest.costs) CHECK(cost < threshold + 1e-6);
        }
      }
    }
  }
}

TEST_CASE("graphs without nodes or edges have nothing to join") {
  const Labels nothing = gaec_prefix(Graph(0, {}), {}, {}, 0, 1.0, 2);
  CHECK(nothing.empty());
  const Labels apart = gaec_prefix(Graph(3, {}), {}, {0, 0, 1}, 2, 1.0, 2);
  CHECK(apart == singletons(3));
}
