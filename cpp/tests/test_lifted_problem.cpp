#include <limits>
#include <vector>

#include "framework.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/lifted/trivial_partition.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

const Graph kPath(4, {{0, 1}, {1, 2}, {2, 3}});
const Graph kLifted(4, {{0, 2}, {3, 1}});

}  // namespace

TEST_CASE("lifted edges cost where their ends are in different clusters") {
  const std::vector<double> costs{1, 2, 4};
  const std::vector<double> lifted_costs{-8, 16};
  const LiftedProblem problem{kPath, costs, kLifted, lifted_costs};
  std::vector<std::uint8_t> cut(3);
  std::vector<std::uint8_t> lifted_cut(2);
  const Labels labels{0, 0, 1, 1};
  CHECK(evaluate(problem, labels, cut, lifted_cut) == 2 - 8 + 16);
  CHECK(objective(problem, labels) == 10);
  CHECK(cut == std::vector<std::uint8_t>{0, 1, 0});
  CHECK(lifted_cut == std::vector<std::uint8_t>{1, 1});
  CHECK(objective(problem, Labels{0, 0, 0, 0}) == 0);
}

TEST_CASE("contradictions of lifted constraints are found") {
  const std::vector<double> free{1, 1, 1};
  const std::vector<double> both{kInfinity, -kInfinity};
  CHECK_FALSE(find_contradiction({kPath, free, kLifted, both}).has_value());

  const std::vector<double> cut_off{1, -kInfinity, 1};
  const auto apart = find_contradiction({kPath, cut_off, kLifted, both});
  REQUIRE(apart.has_value());
  CHECK(apart->is_apart);
  CHECK(apart->u == 0);
  CHECK(apart->v == 2);

  const std::vector<double> joined{1, kInfinity, kInfinity};
  const auto within = find_contradiction({kPath, joined, kLifted, both});
  REQUIRE(within.has_value());
  CHECK_FALSE(within->is_apart);
  CHECK(within->u == 3);
  CHECK(within->v == 1);
}

TEST_CASE("the trivial lifted partition is connected, and none of its candidates is better") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto base = problems::random_problem(9, 30, problems::Costs::kNormal, seed);
    const auto lifted = problems::random_problem(9, 30, problems::Costs::kNormal, seed + 1000);
    const LiftedProblem problem{base.graph, base.costs, lifted.graph, lifted.costs};
    const Labels labels = trivial_partition(problem);
    CHECK(split_disconnected(base.graph, labels) == labels);
    const double value = objective(problem, labels);
    CHECK(value <= objective(problem, singletons(9)));
    CHECK(value <= objective(problem, split_disconnected(base.graph, Labels(9, 0))));
  }
}

TEST_CASE("lifted must-links are met along trees, as far as their components reach") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto base = problems::random_problem(12, 15, problems::Costs::kSmallIntegers, seed);
    const auto lifted = problems::random_problem(12, 10, problems::Costs::kNormal, seed + 1000);
    const Labels components = split_disconnected(base.graph, Labels(12, 0));
    std::vector<double> must_links;
    for (const auto [u, v] : lifted.graph.edges()) {
      must_links.push_back(components[u] == components[v] ? kInfinity : -1.0);
    }
    // Costs that make it best to join as little as possible.
    const std::vector<double> costs(base.graph.num_edges(), -1.0);
    const LiftedProblem problem{base.graph, costs, lifted.graph, must_links};
    const Labels labels = trivial_partition(problem);
    CHECK(split_disconnected(base.graph, labels) == labels);
    CHECK(objective(problem, labels) < kInfinity);
  }
}
