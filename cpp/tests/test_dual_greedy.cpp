#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "framework.hpp"
#include "multicut/graph/local_order.hpp"
#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/greedy_start.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

using Pair = std::pair<NodeId, NodeId>;
using Costs = std::map<Pair, double>;  // by nodes, the smaller one first

Pair ordered(NodeId u, NodeId v) { return {std::min(u, v), std::max(u, v)}; }

// All cycles of a length that have exactly one repulsive edge, by trying all sequences of nodes.
std::vector<std::vector<Pair>> conflicted_cycles(const Costs& costs, NodeId num_nodes,
                                                 std::size_t length) {
  std::vector<std::vector<Pair>> cycles;
  std::vector<NodeId> path;
  const auto extend = [&](auto& self) -> void {
    if (path.size() == length) {
      // Each cycle once: its repulsive edge, the smaller end first, closes the path.
      const Pair closing = ordered(path.front(), path.back());
      if (path.front() > path.back() || !costs.contains(closing)) return;
      if (costs.at(closing) > 0) return;
      std::vector<Pair> cycle{closing};
      for (std::size_t i = 1; i < length; ++i) cycle.push_back(ordered(path[i - 1], path[i]));
      cycles.push_back(cycle);
      return;
    }
    for (NodeId node = 0; node < num_nodes; ++node) {
      if (std::ranges::find(path, node) != path.end()) continue;
      if (!path.empty()) {
        const auto step = costs.find(ordered(path.back(), node));
        if (step == costs.end() || !(step->second > 0)) continue;
      }
      path.push_back(node);
      self(self);
      path.pop_back();
    }
  };
  extend(extend);
  return cycles;
}

// What packing leaves of each |cost|, by definition.
Costs packed(const Costs& costs, NodeId num_nodes, ShortCyclePacking::Sweeps sweeps) {
  Costs left = costs;
  for (auto& [pair, value] : left) value = std::abs(value);
  for (const auto& [length, times] :
       {std::pair<std::size_t, int>{3, sweeps.triangles}, {4, sweeps.squares}}) {
    const auto cycles = conflicted_cycles(costs, num_nodes, length);
    for (int i = 0; i < times; ++i) {
      std::vector<std::vector<Pair>> live;
      std::map<Pair, int> count;
      for (const auto& cycle : cycles) {
        if (std::ranges::any_of(cycle, [&](const Pair& e) { return left[e] < 1e-12; })) continue;
        live.push_back(cycle);
        for (const Pair& e : cycle) ++count[e];
      }
      const Costs before = left;
      for (const auto& cycle : live) {
        double weight = std::numeric_limits<double>::infinity();
        for (const Pair& e : cycle) weight = std::min(weight, before.at(e) / count[e]);
        for (const Pair& e : cycle) left[e] -= weight;
      }
    }
  }
  return left;
}

// Packs anew before each contraction.
Labels naive_dual_greedy(const WeightedGraph& problem, const DualGreedyOptions& options) {
  Labels labels = singletons(problem.graph.num_nodes());
  for (;;) {
    Costs between;
    for (EdgeId e = 0; e < problem.graph.num_edges(); ++e) {
      const auto [u, v] = problem.graph.edge(e);
      if (labels[u] != labels[v]) between[ordered(labels[u], labels[v])] += problem.costs[e];
    }
    const Costs left = packed(between, problem.graph.num_nodes(), options.sweeps);
    double best = -1;
    Pair chosen;
    for (const auto& [pair, cost] : between) {
      const double key = left.at(pair) + options.cost_weight * cost;
      if (cost > 0 && key > best) {
        best = key;
        chosen = pair;
      }
    }
    if (best < 0) break;
    std::ranges::replace(labels, chosen.second, chosen.first);
  }
  make_canonical(labels);
  return labels;
}

// Each node with four later ones, two of them near.
WeightedGraph band(NodeId num_nodes) {
  const RandomStream random(3, 1);
  std::vector<Edge> edges;
  std::vector<double> costs;
  for (NodeId node = 0; node + 130 < num_nodes; ++node) {
    for (const NodeId step : {1U, 2U, 120U, 125U}) {
      edges.push_back({node, node + step});
      costs.push_back(random.normal(edges.size()));
    }
  }
  return {Graph(num_nodes, std::move(edges)), std::move(costs)};
}

}  // namespace

TEST_CASE("dual greedy does what its definition says") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(static_cast<NodeId>(4 + seed % 5), seed % 2 ? 60 : 100,
                                                  problems::Costs::kNormal, seed);
    for (const int squares : {0, 2}) {
      const DualGreedyOptions options{1e-9, 0.05, {3, squares}};
      Watch watch;
      const auto result = dual_greedy(problem.graph, problem.costs, options, watch);
      CHECK(result.labels == naive_dual_greedy(problem, options));
    }
  }
}

TEST_CASE("the packing of short cycles leaves what its definition says") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(8, seed % 3 ? 50 : 100, kind, seed);
    Costs costs;
    std::vector<Edge> edges;
    std::vector<double> sorted;
    for (const bool attracts : {true, false}) {
      for (EdgeId e = 0; e < problem.graph.num_edges(); ++e) {
        if (attracts != (problem.costs[e] > 0)) continue;
        edges.push_back(problem.graph.edge(e));
        sorted.push_back(problem.costs[e]);
        costs[ordered(edges.back().u, edges.back().v)] = problem.costs[e];
      }
    }
    const auto num_attractive = std::ranges::count_if(sorted, [](double cost) { return cost > 0; });
    ShortCyclePacking packing;
    const auto left = packing.pack({8, edges, sorted, static_cast<EdgeId>(num_attractive)}, {3, 2});
    const Costs expected = packed(costs, 8, {3, 2});
    double bound = 0;
    for (EdgeId e = 0; e < edges.size(); ++e) {
      CHECK(left[e] == doctest::Approx(expected.at(ordered(edges[e].u, edges[e].v))).epsilon(1e-9));
      if (sorted[e] <= 0) bound -= left[e];
    }
    CHECK(packing.lower_bound() <= bound);
    CHECK(packing.lower_bound() == doctest::Approx(bound));
  }
}

TEST_CASE("no partition costs less than the bound of dual greedy") {
  int num_tight = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(static_cast<NodeId>(1 + seed % 7), seed % 3 ? 50 : 100, kind, seed);
    Watch watch;
    const auto [labels, bound] = dual_greedy(problem.graph, problem.costs, {}, watch);
    const double optimum = problems::optimum(problem);
    CHECK(bound <= optimum);
    num_tight += bound >= optimum - 1e-9 ? 1 : 0;
  }
  CHECK(num_tight > 100);
}

TEST_CASE("dual greedy joins whatever it packs, and is mostly better than gaec") {
  int num_better = 0;
  int num_worse = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(60, 10, problems::Costs::kNormal, seed);
    Watch watch;
    const double floor = objective(problem.graph, problem.costs,
                                   gaec(problem.graph, problem.costs, watch));
    for (const double share : {1.0, 0.3, 0.01}) {
      const DualGreedyOptions options{share, 0.05, {}};
      Watch own;
      const Labels labels = dual_greedy(problem.graph, problem.costs, options, own).labels;
      const WeightedGraph rest = quotient(problem.graph, problem.costs, labels,
                                          *std::ranges::max_element(labels) + 1);
      CHECK(std::ranges::none_of(rest.costs, [](double cost) { return cost > 0; }));
      if (share == 1.0) continue;
      const double found = objective(problem.graph, problem.costs, labels);
      num_better += found < floor ? 1 : 0;
      num_worse += found > floor ? 1 : 0;
    }
  }
  CHECK(num_better > 4 * num_worse);
}

TEST_CASE("where the time runs out, dual greedy contracts the rest by cost") {
  const auto [graph, costs] = band(30'000);
  Watch endless;
  const double floor = objective(graph, costs, gaec(graph, costs, endless));
  const double best = objective(graph, costs, dual_greedy(graph, costs, {}, endless).labels);
  double all_apart = 0;
  for (const double cost : costs) all_apart += cost;
  for (const double seconds_left : {1e-9, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 1.0, 1e3}) {
    CAPTURE(seconds_left);
    Watch watch(1e9);
    watch.reserve(1e9 - seconds_left);
    const Labels labels = dual_greedy(graph, costs, {}, watch).labels;
    const double found = objective(graph, costs, labels);
    CHECK(found <= all_apart);
    watch.finish(found);
    if (seconds_left == 1e3) CHECK(found == best);
    // Who had too little time says so, even if the end was reached before the limit.
    if (watch.reason() == StopReason::kConverged) CHECK(found == best);
    if (!watch.is_beyond_trivial()) continue;  // the clock stopped it
    const WeightedGraph rest = quotient(graph, costs, labels, *std::ranges::max_element(labels) + 1);
    CHECK(std::ranges::none_of(rest.costs, [](double cost) { return cost > 0; }));
    CHECK(found <= 0.999 * floor);
  }
}

TEST_CASE("how nodes are numbered matters little to dual greedy") {
  const auto [graph, costs] = band(30'000);
  const auto renumbered = [](NodeId node) { return static_cast<NodeId>(7919ULL * node % 30'000); };
  std::vector<Edge> edges;
  for (const auto [u, v] : graph.edges()) edges.push_back({renumbered(u), renumbered(v)});
  const Graph scattered(30'000, std::move(edges));
  CHECK(!is_scattered(graph));
  CHECK(is_scattered(scattered));
  Watch watch;
  const auto [labels, bound] = dual_greedy(graph, costs, {}, watch);
  const auto [others, other_bound] = dual_greedy(scattered, costs, {}, watch);
  const double found = objective(graph, costs, labels);
  CHECK(objective(scattered, costs, others) == doctest::Approx(found).epsilon(1e-3));
  CHECK(other_bound == doctest::Approx(bound).epsilon(1e-3));
  CHECK(other_bound <= objective(scattered, costs, others));
  DualGreedyOptions options;
  options.num_threads = 7;
  CHECK(dual_greedy(scattered, costs, options, watch).labels == others);
  for (const double seconds_left : {1e-9, 1e-4, 1e-2}) {
    Watch short_of_time(1e9);
    short_of_time.reserve(1e9 - seconds_left);
    const Labels stopped = dual_greedy(scattered, costs, {}, short_of_time).labels;
    CHECK(stopped.size() == scattered.num_nodes());
    CHECK(objective(scattered, costs, stopped) <=
          objective(scattered, costs, singletons(scattered.num_nodes())));
  }
}

TEST_CASE("a start for local search takes fewer rounds in dense graphs") {
  const auto sparse = problems::random_problem(60, 10, problems::Costs::kNormal, 0);
  const auto dense = problems::random_problem(60, 50, problems::Costs::kNormal, 0);
  CHECK(quick_options(sparse.graph).share > DualGreedyOptions{}.share);
  CHECK(quick_options(dense.graph).share > quick_options(sparse.graph).share);
  CHECK(quick_options(Graph(3, {})).share == quick_options(sparse.graph).share);
  // Nodes without neighbours do not make a graph sparse.
  const auto edges = dense.graph.edges();
  const Graph with_others(6'000, std::vector<Edge>(edges.begin(), edges.end()));
  CHECK(quick_options(with_others).share == quick_options(dense.graph).share);
}

TEST_CASE("dual greedy and the start of local search do not depend on the number of threads") {
  // Enough repulsive edges for several threads.
  const auto [graph, costs] = band(30'000);
  Watch watch;
  DualGreedyOptions options;
  const auto alone = dual_greedy(graph, costs, options, watch);
  const Labels start = greedy_start(graph, costs, {}, 1, watch);
  const double found = objective(graph, costs, start);
  CHECK(found <= objective(graph, costs, alone.labels));
  CHECK(found <= objective(graph, costs, gaec(graph, costs, watch)));
  for (const int num_threads : {2, 7}) {
    options.num_threads = num_threads;
    const auto together = dual_greedy(graph, costs, options, watch);
    CHECK(together.labels == alone.labels);
    CHECK(together.lower_bound == alone.lower_bound);
    CHECK(greedy_start(graph, costs, {}, num_threads, watch) == start);
  }
}
