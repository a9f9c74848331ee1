#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "framework.hpp"
#include "multicut/bounds/cycle_packing.hpp"
#include "multicut/bounds/packing_problem.hpp"
#include "multicut/exact/blocks.hpp"
#include "multicut/exact/cycle_separation.hpp"
#include "multicut/exact/reduction.hpp"
#include "multicut/exact/sure_joins.hpp"
#include "multicut/exact/wheel_separation.hpp"
#include "multicut/graph/sums.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

bool never() { return false; }

}  // namespace

TEST_CASE("separation finds the one violated cycle") {
  // A square with a tail; only the cycle through edge 3 is violated.
  const Graph graph(5, {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {3, 4}});
  const Cycles cycles = separate_cycles(graph, std::vector<double>{0.1, 0.2, 0.1, 0.9, 1}, 1e-6);
  REQUIRE(cycles.size() == 1);
  REQUIRE(cycles.edges.size() == 4);
  CHECK(cycles.edges.front() == 3);
  CHECK(separate_cycles(graph, std::vector<double>{0.3, 0.3, 0.3, 0.9, 1}, 1e-6).size() == 0);
}

TEST_CASE("separation accepts just the multicuts") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
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

TEST_CASE("reduction keeps the optimum") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(8, seed % 3 ? 35 : 100, kind, seed);
    Watch watch;
    const Reduction reduction = reduce(problem.graph, problem.costs, watch);
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

TEST_CASE("reductions of integers are exact") {
  const Graph triangle(3, {{0, 1}, {1, 2}, {0, 2}});
  Watch watch;
  CHECK(reduce(triangle, std::vector<double>{0x1p51, 3, -0x1p50}, watch).error == 0);
  // The edges that became one have lost digits, but are gone.
  const Reduction reduction = reduce(triangle, std::vector<double>{0x1p62, 3, 0x1p60}, watch);
  CHECK(reduction.problem.graph.num_nodes() == 1);
  CHECK(reduction.error == 0);
}

TEST_CASE("one look over costs tells whether sums are finite, and what is largest") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t size : {0U, 1U, 3U, 4U, 5U, 9U}) {
    std::vector<double> costs(size, -0.5);
    CHECK(sums_are_finite(costs));
    CHECK(quick_sum(costs) == -0.5 * static_cast<double>(size));
    CHECK(largest_size(costs) == (size > 0 ? 0.5 : 0));
    for (std::size_t i = 0; i < size; ++i) {
      for (const double bad : {infinity, -infinity, nan, 1e308, -1e308}) {
        costs[i] = bad;
        CHECK(!sums_are_finite(costs));
      }
      for (const double fine : {0.0, -0.0, 5e-324, 1e290, -1e290}) {
        costs[i] = fine;
        CHECK(sums_are_finite(costs));
      }
      costs[i] = -7;
      CHECK(largest_size(costs) == 7);
      CHECK(quick_sum(costs) == -0.5 * static_cast<double>(size - 1) - 7);
      costs[i] = -0.5;
    }
  }
}

TEST_CASE("sums are exact in any order") {
  CHECK(sums_are_exact(std::vector<double>{1, -2, 3, 0}));
  CHECK(sums_are_exact(std::vector<double>{0.5, 0x1p40}));
  CHECK(!sums_are_exact(std::vector<double>{1, 0x1p53}));
  CHECK(!sums_are_exact(std::vector<double>{0.1, 0.2}));
  ExactSum exact;
  Sum doubled;
  for (const double value : {1e300, 1e150, 1.0, -1e300, -1e150}) {
    exact.add(value);
    doubled.add(value);
  }
  CHECK(exact.value() == 1);
  CHECK(doubled.error() >= 1);
}

TEST_CASE("reduction of a hub takes linear time") {
  // All other nodes of a star join the hub, one after the other.
  constexpr NodeId kNumLeaves = 300'000;
  std::vector<Edge> edges;
  for (NodeId leaf = 0; leaf < kNumLeaves; ++leaf) edges.push_back({leaf, kNumLeaves});
  const Graph graph(kNumLeaves + 1, std::move(edges));
  Watch watch(60);
  const std::vector<double> costs(kNumLeaves, 1.0);
  CHECK(reduce(graph, costs, watch).problem.graph.num_nodes() == 1);
}

TEST_CASE("reduction stops when told") {
  const auto problem = problems::random_problem(8, 100, problems::Costs::kNormal, 0);
  Watch watch(0);
  CHECK(reduce(problem.graph, problem.costs, watch).problem.graph.num_nodes() == 8);
}

TEST_CASE("a reduction that is given up at any moment is one nevertheless") {
  const auto problem = problems::random_problem(3000, 1, problems::Costs::kNormal, 1);
  for (int wait = 2; wait <= 22; wait += 4) {
    Watch watch(60, [](double, double) { return StopReason::kInterrupt; });
    std::this_thread::sleep_for(std::chrono::milliseconds(wait));
    const Reduction reduction = reduce(problem.graph, problem.costs, watch);
    const auto& [graph, costs] = reduction.problem;
    Labels labels(graph.num_nodes());
    for (NodeId node = 0; node < labels.size(); ++node) labels[node] = node * 7919 % 5;
    const double small = objective(graph, costs, labels) + reduction.offset;
    CHECK(objective(problem.graph, problem.costs, reduction.lift(labels)) ==
          doctest::Approx(small));
  }
}

TEST_CASE("tiny edges count in a cut") {
  // A hundred weak paths and a strong one, together stronger than the edge between their ends.
  constexpr NodeId kNumPaths = 100;
  std::vector<Edge> edges{{0, 1}, {0, 2}, {1, 2}};
  std::vector<double> costs{1, -(1 - 2e-9), 1};
  for (NodeId node = 3; node < 3 + kNumPaths; ++node) {
    edges.insert(edges.end(), {{0, node}, {node, 1}});
    costs.insert(costs.end(), {5e-10, 5e-10});
  }
  const Graph graph(3 + kNumPaths, std::move(edges));
  const Labels joined = join_across_cuts(graph, costs, never);
  CHECK(joined[0] != joined[1]);
}

TEST_CASE("each criterion for joins keeps the optimum") {
  int num_joins_at_nodes = 0;
  int num_joins_across_cuts = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(7, seed % 3 ? 40 : 100, kind, seed);
    for (const bool across_cuts : {false, true}) {
      const Labels joined = across_cuts ? join_across_cuts(problem.graph, problem.costs, never)
                                        : join_at_nodes(problem.graph, problem.costs, never);
      double best = 1e300;
      problems::for_each_partition(7, [&](const Labels& labels) {
        for (NodeId node = 0; node < 7; ++node) {
          const auto first = std::ranges::find(joined, joined[node]) - joined.begin();
          if (labels[node] != labels[static_cast<std::size_t>(first)]) return;
        }
        best = std::min(best, objective(problem.graph, problem.costs, labels));
      });
      CHECK(std::abs(best - problems::optimum(problem)) < 1e-9);
      const NodeId num_groups = *std::ranges::max_element(joined) + 1;
      (across_cuts ? num_joins_across_cuts : num_joins_at_nodes) += 7 - static_cast<int>(num_groups);
    }
  }
  CHECK(num_joins_at_nodes > 500);
  CHECK(num_joins_across_cuts > 500);
}

TEST_CASE("a triangle joins where an edge alone does not") {
  // Neither edge at 0 outweighs the others there, but 0 and 1 have their attraction to 2 in common.
  const Graph graph(5, {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 4}});
  const std::vector<double> costs{3, 1, 1, -3, -3};
  const Labels joined = join_at_nodes(graph, costs, never);
  CHECK(joined[0] == joined[1]);
}

TEST_CASE("a cut joins where nodes alone do not") {
  // Two triangles of strong attraction; the edge between them outweighs all others between them.
  const Graph graph(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {0, 3}, {1, 4}, {2, 5}});
  const std::vector<double> costs{9, 9, 9, 9, 9, 9, 4, -2, -1};
  const Labels joined = join_across_cuts(graph, costs, never);
  CHECK(joined[0] == joined[3]);
}

TEST_CASE("wheels are found where all cycles are satisfied") {
  // A wheel with three spokes: rim 2/3 and spokes 1/3 satisfy all triangles, not the wheel.
  const Graph graph(4, {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {2, 3}, {3, 1}});
  const std::vector<double> values{1. / 3, 1. / 3, 1. / 3, 2. / 3, 2. / 3, 2. / 3};
  CHECK(separate_cycles(graph, values, 1e-6).size() == 0);
  CHECK(separate_odd_wheels(graph, values, 1e-6).size() == 0);
  const std::vector<double> halves{0.5, 0.5, 0.5, 1, 1, 1};
  CHECK(separate_cycles(graph, halves, 1e-6).size() == 0);
  const Cycles wheels = separate_odd_wheels(graph, halves, 1e-6);
  REQUIRE(wheels.size() == 1);
  REQUIRE(wheels.edges.size() == 6);
  CHECK(std::ranges::all_of(wheels[0].first(3), [](EdgeId e) { return e >= 3; }));
}

TEST_CASE("no partition violates a wheel") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(7, 80, problems::Costs::kNormal, seed);
    const RandomStream random(seed, 2);
    std::vector<double> values(problem.graph.num_edges());
    for (EdgeId e = 0; e < values.size(); ++e) values[e] = 0.5 * static_cast<double>(random.bits(e) % 3);
    const Cycles wheels = separate_odd_wheels(problem.graph, values, 1e-6);
    problems::for_each_partition(7, [&](const Labels& labels) {
      for (std::size_t i = 0; i < wheels.size(); ++i) {
        const std::size_t length = wheels[i].size() / 2;
        int balance = 0;
        for (std::size_t k = 0; k < 2 * length; ++k) {
          const auto [u, v] = problem.graph.edge(wheels[i][k]);
          balance += (labels[u] != labels[v]) * (k < length ? 1 : -1);
        }
        CHECK(balance <= static_cast<int>(length - 1) / 2);
      }
    });
  }
}

TEST_CASE("packed cycles bound the optimum") {
  double total_gap = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(8, seed % 3 ? 35 : 100, kind, seed);
    Watch watch;
    const double bound = pack_cycles(problem.graph, problem.costs, {}, watch).lower_bound;
    const double best = problems::optimum(problem);
    // The bound holds for exact sums; that of the optimum is rounded.
    CHECK(bound <= best + 1e-14 * std::abs(best));
    total_gap += best - bound;
  }
  CHECK(total_gap / 300 < 0.2);
}

TEST_CASE("packing that is stopped still bounds the optimum") {
  const auto problem = problems::random_problem(8, 60, problems::Costs::kNormal, 3);
  Watch expired(0.0);
  const PackingResult result = pack_cycles(problem.graph, problem.costs, {}, expired);
  CHECK(result.lower_bound == trivial_bound(problem.costs));
  CHECK(result.num_cycles == 0);
  CHECK(result.lower_bound <= problems::optimum(problem));

  int num_checks = 0;
  const PackingProblem complete(problem.graph, problem.costs, [&] { return ++num_checks < 0; });
  CHECK(complete.is_complete());
  CHECK(num_checks > 2);
  for (int patience = 0; patience < num_checks; ++patience) {
    int checks = 0;
    const auto stop = [&] { return ++checks > patience; };
    CHECK(!PackingProblem(problem.graph, problem.costs, stop).is_complete());
  }
}

TEST_CASE("packing does not depend on threads") {
  const auto problem = problems::random_problem(120, 30, problems::Costs::kNormal, 1);
  Watch one;
  Watch four;
  CHECK(pack_cycles(problem.graph, problem.costs, {1}, one).lower_bound ==
        pack_cycles(problem.graph, problem.costs, {4}, four).lower_bound);
}

TEST_CASE("blocks meet in cut vertices") {
  // Two triangles that share node 2, and a bridge.
  const Graph graph(6, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 4}, {2, 4}, {4, 5}});
  const std::vector<EdgeId> block = blocks(graph);
  CHECK(block[0] == block[1]);
  CHECK(block[1] == block[2]);
  CHECK(block[3] == block[4]);
  CHECK(block[4] == block[5]);
  CHECK(block[0] != block[3]);
  CHECK(block[6] != block[0]);
  CHECK(block[6] != block[3]);
  CHECK(*std::ranges::max_element(block) == 2);
  CHECK(blocks(Graph(3, {})).empty());
}
