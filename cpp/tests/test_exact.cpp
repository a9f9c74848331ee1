#include <algorithm>
#include <cmath>
#include <vector>

#include "check.hpp"
#include "multicut/exact/cycle_separation.hpp"
#include "multicut/exact/reduction.hpp"
#include "problems.hpp"

using namespace multicut;

TEST(separation_finds_the_one_violated_cycle) {
  // A square with a tail; only the cycle through edge 3 is violated.
  const Graph graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}});
  const Cycles cycles = separate_cycles(graph, std::vector<double>{0.1, 0.2, 0.1, 0.9, 1}, 1e-6);
  CHECK(cycles.size() == 1 && cycles.edges.size() == 4 && cycles.edges.front() == 3);
  CHECK(separate_cycles(graph, std::vector<double>{0.3, 0.3, 0.3, 0.9, 1}, 1e-6).size() == 0);
}

TEST(separation_accepts_just_the_multicuts) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto problem = problems::random_problem(8, seed % 2 ? 40 : 100,
                                                  problems::Costs::kNormal, seed);
    const RandomStream random(seed, 1);
    std::vector<std::uint8_t> cut(problem.graph.num_edges());
    for (EdgeId e = 0; e < cut.size(); ++e) cut[e] = random.bits(e) % 2;
    const Labels labels = connected_components(problem.graph, cut);
    bool is_multicut = true;
    for (EdgeId e = 0; e < cut.size(); ++e) {
      const auto [u, v] = problem.graph.edge(e);
      is_multicut &= (labels[u] != labels[v]) == static_cast<bool>(cut[e]);
    }
    const std::vector<double> values(cut.begin(), cut.end());
    CHECK((separate_cycles(problem.graph, values, 0.5).size() == 0) == is_multicut);
  }
}

TEST(reduction_keeps_the_optimum) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(8, seed % 3 ? 35 : 100, kind, seed);
    const Reduction reduction = reduce(problem.graph, problem.costs);
    const Graph& smaller = reduction.problem.graph;
    double best = 1e300;
    problems::for_each_partition(smaller.num_nodes(), [&](const Labels& labels) {
      // A partition stands for its connected parts: what was left out is cut.
      const Labels parts = split_disconnected(smaller, labels);
      Labels lifted(8);
      for (NodeId node = 0; node < 8; ++node) lifted[node] = parts[reduction.group_of[node]];
      best = std::min(best, objective(problem.graph, problem.costs, lifted));
    });
    CHECK(std::abs(best - problems::optimum(problem)) < 1e-9);
  }
}

TEST(blocks_meet_in_cut_vertices) {
  // Two triangles that share node 2, and a bridge.
  const Graph graph(6, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {2, 4}, {4, 5}});
  const std::vector<EdgeId> block = blocks(graph);
  CHECK(block[0] == block[1] && block[1] == block[2]);
  CHECK(block[3] == block[4] && block[4] == block[5]);
  CHECK(block[0] != block[3] && block[6] != block[0] && block[6] != block[3]);
  CHECK(*std::ranges::max_element(block) == 2);
  CHECK(blocks(Graph(3, {})).empty());
}
