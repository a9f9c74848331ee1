#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "framework.hpp"
#include "multicut/graph/interaction_graph.hpp"
#include "multicut/graph/mutex_sets.hpp"
#include "multicut/graph/neighbourhood.hpp"
#include "multicut/solvers/finite_sums.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/gasp.hpp"
#include "multicut/solvers/greedy_fixation.hpp"
#include "multicut/solvers/mutex_watershed.hpp"
#include "multicut/vision/pixel_mutex_watershed.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Takes edges by descending absolute cost, ties by id, and compares all pairs of nodes.
Labels naive_mutex_watershed(const WeightedGraph& problem) {
  std::vector<EdgeId> order(problem.graph.num_edges());
  std::iota(order.begin(), order.end(), EdgeId{0});
  std::ranges::stable_sort(order, [&](EdgeId a, EdgeId b) {
    return std::abs(problem.costs[a]) > std::abs(problem.costs[b]);
  });
  Labels labels = singletons(problem.graph.num_nodes());
  std::vector<Edge> mutexes;
  for (const EdgeId e : order) {
    const NodeId u = labels[problem.graph.edge(e).u];
    const NodeId v = labels[problem.graph.edge(e).v];
    if (u == v || problem.costs[e] == 0) continue;
    if (problem.costs[e] < 0) {
      mutexes.push_back(problem.graph.edge(e));
      continue;
    }
    const bool is_forbidden = std::ranges::any_of(mutexes, [&](const Edge& mutex) {
      return std::minmax(labels[mutex.u], labels[mutex.v]) == std::minmax(u, v);
    });
    if (!is_forbidden) std::ranges::replace(labels, v, u);
  }
  make_canonical(labels);
  return labels;
}

}  // namespace

TEST_CASE("mutex sets know which sets stay apart, whatever is merged") {
  const RandomStream random(1, 0);
  constexpr NodeId kNodes = 200;
  MutexSets sets(kNodes);
  Labels labels = singletons(kNodes);
  std::set<std::pair<NodeId, NodeId>> apart;  // pairs of nodes
  const auto are_apart = [&](NodeId a, NodeId b) {
    return std::ranges::any_of(apart, [&](const auto& pair) {
      return std::minmax(labels[pair.first], labels[pair.second]) == std::minmax(a, b);
    });
  };
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const auto u = static_cast<NodeId>(random.bits(2 * i) % kNodes);
    const auto v = static_cast<NodeId>(random.bits(2 * i + 1) % kNodes);
    const NodeId a = sets.find(u);
    const NodeId b = sets.find(v);
    REQUIRE((a == b) == (labels[u] == labels[v]));
    if (a == b) continue;
    REQUIRE(sets.are_apart(a, b) == are_apart(labels[u], labels[v]));
    if (i % 3 > 0) {
      sets.keep_apart(a, b);
      apart.emplace(u, v);
    } else if (!sets.are_apart(a, b)) {
      const auto merged = sets.merge(a, b);
      CHECK(sets.find(u) == merged.kept);
      const NodeId old_label = labels[v];  // would change while it is replaced
      const NodeId new_label = labels[u];
      std::ranges::replace(labels, old_label, new_label);
    }
  }
  make_canonical(labels);
  CHECK(sets.labels() == labels);
}

TEST_CASE("contraction merges parallel interactions and adds their costs up") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const auto problem = problems::random_problem(20, 40, problems::Costs::kNormal, seed);
    struct Sum {
      explicit Sum(double cost) : value(cost) {}
      double value;
    };
    InteractionGraph<Sum> clusters({{problem.graph, problem.costs}});
    for (EdgeId e = 0; e < problem.graph.num_edges(); e += 5) {
      if (clusters.is_dead(e)) continue;
      clusters.contract(e, [&](EdgeId kept, EdgeId absorbed) {
        clusters.value(kept).value += clusters.value(absorbed).value;
      });
    }
    const Labels labels = clusters.labels();
    double cut = 0;
    for (EdgeId e = 0; e < problem.graph.num_edges(); ++e) {
      if (!clusters.is_dead(e)) cut += clusters.value(e).value;
    }
    CHECK(cut == doctest::Approx(objective(problem.graph, problem.costs, labels)));
  }
}

TEST_CASE("mutex watershed is that of the definition, ties included") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto kind = seed % 2 == 0 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(static_cast<NodeId>(2 + seed % 25), 30, kind, seed);
    Watch watch;
    CHECK(mutex_watershed(problem.graph, problem.costs, watch) == naive_mutex_watershed(problem));
  }
}

TEST_CASE("sums are GAEC, with cannot-links greedy fixation") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const auto problem = problems::random_problem(40, 20, problems::Costs::kNormal, seed);
    Watch watch;
    CHECK(gasp(problem.graph, problem.costs, {Linkage::kSum, false}, watch) ==
          gaec(problem.graph, problem.costs, watch));
    CHECK(gasp(problem.graph, problem.costs, {Linkage::kSum, true}, watch) ==
          greedy_fixation(problem.graph, problem.costs, watch));
  }
}

TEST_CASE("constraints hold with every linkage") {
  const Graph graph(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {0, 3}});
  const std::vector<double> costs{kInfinity, kInfinity, -9, -kInfinity, 7};
  for (const Linkage linkage : {Linkage::kSum, Linkage::kAverage, Linkage::kMaxAbs, Linkage::kMin,
                                Linkage::kMax}) {
    for (const bool cannot_links : {false, true}) {
      Watch watch;
      CHECK(gasp(graph, costs, {linkage, cannot_links}, watch) == Labels{0, 0, 0, 1});
    }
  }
}

TEST_CASE("long-range edges forbid joins, and join nothing") {
  const Graph graph(3, {{0, 1}, {1, 2}});
  const std::vector<double> costs{2, 1};
  const std::vector<Edge> far{{0, 2}};
  for (const double cost : {-3.0, 3.0}) {
    Watch watch;
    const std::vector<double> far_costs{cost};
    const Labels labels = mutex_watershed(graph, costs, watch, {far, far_costs});
    CHECK(labels == (cost < 0 ? Labels{0, 0, 1} : Labels{0, 0, 0}));
  }
}

TEST_CASE("agglomeration stops when it is told to") {
  const auto problem = problems::random_problem(60, 50, problems::Costs::kNormal, 0);
  for (const Linkage linkage : {Linkage::kAverage, Linkage::kMaxAbs, Linkage::kMax}) {
    Watch watch(0);
    const Labels labels = gasp(problem.graph, problem.costs, {linkage, true}, watch);
    CHECK(labels == singletons(60));
    CHECK(watch.reason() == StopReason::kTimeLimit);
  }
}

TEST_CASE("sums of large costs are kept finite") {
  CHECK(exponent_for_sums(std::vector<double>{1, -5, kInfinity}) == 0);
  CHECK(exponent_for_sums(std::vector<double>{}) == 0);
  const std::vector<double> large(10, std::numeric_limits<double>::max());
  const double divided = std::ldexp(large[0], -exponent_for_sums(large));
  CHECK(std::isfinite(10 * divided));
}

TEST_CASE("neighbourhoods are found by breadth-first search") {
  const Graph path(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  CHECK(neighbourhood(path, 2) == std::vector<std::int64_t>{0, 2, 1, 3, 2, 4});
  CHECK(neighbourhood(path, 3) == std::vector<std::int64_t>{0, 2, 0, 3, 1, 3, 1, 4, 2, 4});
  CHECK(neighbourhood(Graph(3, {}), 4).empty());
}

TEST_CASE("pixels are segmented by attractive and repulsive channels") {
  // Two rows of four pixels; between the second and the third column there is a boundary.
  const std::vector<float> affinities{
      0.0F, 0.0F, 0.0F, 0.0F, 0.9F, 0.9F, 0.9F, 0.9F,   // to the row above
      0.0F, 0.8F, 0.2F, 0.8F, 0.0F, 0.8F, 0.2F, 0.8F,   // to the left
      0.0F, 0.0F, 0.1F, 0.1F, 0.0F, 0.0F, 0.1F, 0.1F};  // two to the left
  AffinityMaps maps;
  maps.shape = {1, 2, 4};
  maps.offsets = {{0, -1, 0}, {0, 0, -1}, {0, 0, -2}};
  maps.affinities = affinities.data();
  maps.num_attractive = 2;
  Watch watch;
  CHECK(mutex_watershed(maps, watch).labels == std::vector<std::int64_t>{0, 0, 1, 1, 0, 0, 1, 1});
  bool mask[8] = {true, false, true, true, true, false, true, true};
  maps.mask = mask;
  CHECK(mutex_watershed(maps, watch).labels == std::vector<std::int64_t>{0, -1, 1, 1, 0, -1, 1, 1});
  maps.mask = nullptr;
  const std::vector<float> classes{0.9F, 0, 0, 0, 0.95F, 0, 0, 0, 0, 0.97F, 0, 0, 0, 0, 0.6F, 0};
  maps.classes = classes.data();
  maps.num_classes = 2;
  const PixelSegments segments = mutex_watershed(maps, watch);
  CHECK(segments.labels == std::vector<std::int64_t>{0, 1, 2, 2, 0, 1, 2, 2});
  CHECK(segments.classes == std::vector<std::int64_t>{0, 1, 1, 1, 0, 1, 1, 1});
  const std::vector<float> bad(24, 2.0F);
  maps.affinities = bad.data();
  CHECK_THROWS_WITH_AS(mutex_watershed(maps, watch),
                       "affinities must lie between 0 and 1, got 2 in channel 0 at (1, 0)",
                       std::invalid_argument);
}
