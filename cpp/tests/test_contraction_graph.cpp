#include <cmath>

#include "framework.hpp"
#include "multicut/graph/contraction_graph.hpp"
#include "multicut/graph/quotient.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

// Contracts random live edges and compares costs with those of the quotient graph as it goes.
void check_random_contractions(const WeightedGraph& problem, std::uint64_t seed) {
  ContractionGraph contraction(problem.graph, problem.costs);
  const RandomStream random(seed, 7);
  NodeId left = problem.graph.num_nodes();
  for (std::uint64_t step = 0; step < 4 * problem.graph.num_edges(); ++step) {
    const auto e = static_cast<EdgeId>(random.bits(step) % problem.graph.num_edges());
    if (contraction.edge(e).is_dead()) continue;
    contraction.contract(e, [&](EdgeId kept, EdgeId absorbed, double) {
      CHECK(!contraction.edge(kept).is_dead());
      CHECK(contraction.edge(absorbed).is_dead());
    });
    CHECK(contraction.edge(e).is_dead());
    CHECK(contraction.num_nodes() == --left);
    if (step % 16 != 0) continue;

    const Labels labels = contraction.labels();
    const auto expected = quotient(problem.graph, problem.costs, labels, left);
    std::size_t alive = 0;
    double sum = 0;
    for (EdgeId other = 0; other < problem.graph.num_edges(); ++other) {
      if (contraction.edge(other).is_dead()) continue;
      ++alive;
      sum += contraction.edge(other).cost * contraction.edge(other).cost;
    }
    double expected_sum = 0;
    for (const double cost : expected.costs) expected_sum += cost * cost;
    CHECK(alive == expected.graph.num_edges());
    CHECK(std::abs(sum - expected_sum) <= 1e-9 * (1 + expected_sum));
  }
}

// A few hubs, each linked to most nodes and to each other, so that the tables of hubs are used.
WeightedGraph hubs_and_leaves(NodeId num_hubs, NodeId num_leaves) {
  const RandomStream random(num_hubs, num_leaves);
  std::vector<Edge> edges;
  for (NodeId hub = 0; hub < num_hubs; ++hub) {
    for (NodeId other = hub + 1; other < num_hubs; ++other) edges.push_back({hub, other});
    for (NodeId leaf = 0; leaf < num_leaves; ++leaf) {
      if (random.bits(edges.size()) % 4 != 0) edges.push_back({hub, num_hubs + leaf});
    }
  }
  std::vector<double> costs(edges.size());
  for (std::size_t e = 0; e < costs.size(); ++e) costs[e] = random.normal(e + 1'000'000);
  return {Graph(num_hubs + num_leaves, std::move(edges)), std::move(costs)};
}

}  // namespace

TEST_CASE("contraction agrees with the quotient on random graphs") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    check_random_contractions(problems::random_problem(30, 20, kind, seed), seed);
    check_random_contractions(problems::random_problem(25, 100, kind, seed), seed);
  }
}

TEST_CASE("contraction agrees with the quotient around hubs") {
  check_random_contractions(hubs_and_leaves(1, 800), 1);
  check_random_contractions(hubs_and_leaves(4, 600), 2);
  check_random_contractions(hubs_and_leaves(12, 300), 3);
}
