#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "framework.hpp"
#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/fusion.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/greedy_fixation.hpp"
#include "multicut/solvers/instance.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/memetic.hpp"
#include "multicut/solvers/trivial_partition.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Solver = std::function<Labels(const Graph&, std::span<const double>, Watch&)>;

Labels gaec_and_klj(const Graph& graph, std::span<const double> costs, Watch& watch) {
  return klj(graph, costs, gaec(graph, costs, watch), KljOptions{}, watch);
}

Labels with_fusion(const Graph& graph, std::span<const double> costs, Watch& watch) {
  return fusion(graph, costs, gaec_and_klj(graph, costs, watch), FusionOptions{}, 0, watch);
}

Labels with_dual(const Graph& graph, std::span<const double> costs, Watch& watch) {
  return dual_greedy(graph, costs, {}, watch).labels;
}

Labels with_memetic(const Graph& graph, std::span<const double> costs, Watch& watch) {
  MemeticOptions options;
  options.patience = 2;
  return memetic(graph, costs, gaec_and_klj(graph, costs, watch), options, 0, watch);
}

const std::vector<Solver> kSolvers{gaec,         with_dual,   greedy_fixation,
                                   gaec_and_klj, with_fusion, with_memetic};

// Contracts (or, with fixation, forbids) by definition: the clusters and all costs between them are
// computed anew for each step. Integer costs would make ties a matter of taste.
Labels naive_greedy(const WeightedGraph& problem, bool with_fixation) {
  Labels labels = singletons(problem.graph.num_nodes());
  std::set<std::pair<NodeId, NodeId>> forbidden;  // pairs of nodes whose clusters stay apart
  const auto is_forbidden = [&](NodeId a, NodeId b) {
    return std::ranges::any_of(forbidden, [&](const auto& pair) {
      const NodeId first = labels[pair.first];
      const NodeId second = labels[pair.second];
      return (first == a && second == b) || (first == b && second == a);
    });
  };
  for (;;) {
    std::map<std::pair<NodeId, NodeId>, double> between;
    for (EdgeId e = 0; e < problem.graph.num_edges(); ++e) {
      const auto [a, b] = std::minmax(labels[problem.graph.edge(e).u],
                                      labels[problem.graph.edge(e).v]);
      if (a != b && !is_forbidden(a, b)) between[{a, b}] += problem.costs[e];
    }
    double best = 0;
    std::pair<NodeId, NodeId> chosen;
    for (const auto& [pair, cost] : between) {
      const double key = with_fixation ? std::abs(cost) : cost;
      if (key > best) {
        best = key;
        chosen = pair;
      }
    }
    if (best == 0) break;
    if (between[chosen] < 0) {
      const auto first = std::ranges::find(labels, chosen.first) - labels.begin();
      const auto second = std::ranges::find(labels, chosen.second) - labels.begin();
      forbidden.insert({static_cast<NodeId>(first), static_cast<NodeId>(second)});
    } else {
      std::ranges::replace(labels, chosen.second, chosen.first);
    }
  }
  make_canonical(labels);
  return labels;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * (1 + std::abs(a)); }

}  // namespace

TEST_CASE("solvers return connected canonical clusters and a true trace") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 2 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(40, seed % 3 ? 15 : 100, kind, seed);
    for (const Solver& solver : kSolvers) {
      Watch watch;
      const Labels labels = solver(problem.graph, problem.costs, watch);
      CHECK(problems::is_canonical(labels));
      CHECK(split_disconnected(problem.graph, labels) == labels);
      CHECK(watch.reason() == StopReason::kConverged);
      const double found = objective(problem.graph, problem.costs, labels);
      CHECK(close(watch.trace().back().objective, found));
      for (std::size_t i = 1; i < watch.trace().size(); ++i) {
        CHECK(watch.trace()[i].objective < watch.trace()[i - 1].objective);
      }
    }
  }
}

TEST_CASE("greedy solvers do what their definition says") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(static_cast<NodeId>(5 + seed % 20), seed % 3 ? 30 : 100,
                                                  problems::Costs::kNormal, seed);
    Watch watch;
    CHECK(gaec(problem.graph, problem.costs, watch) == naive_greedy(problem, false));
    CHECK(greedy_fixation(problem.graph, problem.costs, watch) == naive_greedy(problem, true));
  }
}

TEST_CASE("fusion finds most small optima and klj is between") {
  int optimal = 0;
  const std::uint64_t count = 100;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(8, seed % 2 ? 40 : 100,
                                                  problems::Costs::kNormal, seed);
    const double best = problems::optimum(problem);
    double previous = kInfinity;
    for (const Solver& solver : {kSolvers[0], kSolvers[3], kSolvers[4]}) {
      Watch watch;
      const Labels labels = solver(problem.graph, problem.costs, watch);
      const double found = objective(problem.graph, problem.costs, labels);
      CHECK(found >= best - 1e-9);
      CHECK(found <= previous + 1e-9);
      previous = found;
    }
    optimal += close(previous, best);
  }
  CHECK(optimal >= 95);
}

TEST_CASE("klj improves any start") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    // On sparse graphs many searches are left out, as there is nothing that they could gain.
    const int percent = seed % 2 == 0 ? 30 : 8;
    const auto problem = problems::random_problem(30, percent, problems::Costs::kNormal, seed);
    const RandomStream random(seed, 3);
    Labels start(30);
    for (NodeId node = 0; node < 30; ++node) {
      start[node] = static_cast<NodeId>(random.bits(node) % 5);
    }
    start = split_disconnected(problem.graph, start);
    Watch watch;
    const Labels labels = klj(problem.graph, problem.costs, start, KljOptions{}, watch);
    CHECK(objective(problem.graph, problem.costs, labels) <=
          objective(problem.graph, problem.costs, start));
    // No single node would rather be in another cluster or alone, no two clusters joined.
    const double found = objective(problem.graph, problem.costs, labels);
    for (NodeId node = 0; node < 30; ++node) {
      for (NodeId cluster = 0; cluster <= 30; ++cluster) {
        Labels moved = labels;
        moved[node] = cluster;
        CHECK(objective(problem.graph, problem.costs, moved) >= found - 1e-9);
      }
    }
    for (const auto [u, v] : problem.graph.edges()) {
      Labels joined = labels;
      for (NodeId& label : joined) label = label == labels[u] ? labels[v] : label;
      CHECK(objective(problem.graph, problem.costs, joined) >= found - 1e-9);
    }
  }
}

TEST_CASE("klj finds chains of moves that no sequence between two clusters contains") {
  for (const int percent : {12, 80}) {  // the latter with a table of costs
    CAPTURE(percent);
    double with_chains = 0;
    double without_chains = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const auto problem = problems::random_problem(50, percent, problems::Costs::kNormal, seed);
      Watch watch;
      const Labels start = gaec(problem.graph, problem.costs, watch);
      KljOptions tireless;
      tireless.chain_patience = 0;
      tireless.patience = 1000;
      tireless.largest_loss = kInfinity;
      const auto found = [&](const KljOptions& options) {
        return objective(problem.graph, problem.costs,
                         klj(problem.graph, problem.costs, start, options, watch));
      };
      with_chains += found({});
      without_chains += found(tireless);
    }
    CHECK(with_chains < without_chains);
  }
}

TEST_CASE("chains do not depend on the scale of costs, and leave the start if there are no rounds") {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    // The first are dense, with a table of costs; the others are not.
    const int percent = seed % 2 == 0 ? 60 : 8;
    const auto problem = problems::random_problem(50, percent, problems::Costs::kNormal, seed);
    std::vector<double> scaled = problem.costs;
    for (double& cost : scaled) cost *= 1024;
    Watch watch;
    const Labels start = gaec(problem.graph, problem.costs, watch);
    const Labels labels = klj(problem.graph, problem.costs, start, {}, watch);
    CHECK(klj(problem.graph, scaled, start, {}, watch) == labels);
    CHECK(split_disconnected(problem.graph, labels) == labels);
    KljOptions none;
    none.max_rounds = 0;
    CHECK(klj(problem.graph, problem.costs, start, none, watch) == start);
    KljOptions tireless;
    tireless.chain_loss = tireless.largest_loss = kInfinity;
    const Labels best = klj(problem.graph, problem.costs, start, tireless, watch);
    CHECK(objective(problem.graph, problem.costs, best) <=
          objective(problem.graph, problem.costs, start));
  }
}

TEST_CASE("chains open new clusters in dense graphs") {
  // Complete graphs in one cluster: a table for one cluster has to grow.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    auto problem = problems::random_problem(40, 100, problems::Costs::kNormal, seed);
    for (double& cost : problem.costs) cost -= 2;
    Watch watch;
    const Labels labels = klj(problem.graph, problem.costs, Labels(40, 0), {}, watch);
    CHECK(objective(problem.graph, problem.costs, labels) <=
          objective(problem.graph, problem.costs, gaec(problem.graph, problem.costs, watch)));
    CHECK(*std::ranges::max_element(labels) > 8);
  }
}

TEST_CASE("fusion does not depend on the number of threads") {
  const auto problem = problems::random_problem(150, 50, problems::Costs::kNormal, 1);
  CHECK(problem.graph.num_edges() > 4096);
  const Labels start = singletons(150);
  std::vector<Labels> results;
  for (const int num_threads : {1, 2, 5}) {
    CAPTURE(num_threads);
    Watch watch;
    FusionOptions options;
    options.num_threads = num_threads;
    options.max_proposals = 24;
    results.push_back(fusion(problem.graph, problem.costs, start, options, 3, watch));
  }
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}

TEST_CASE("solvers stop when told") {
  const auto problem = problems::random_problem(120, 100, problems::Costs::kNormal, 5);
  for (const Solver& solver : kSolvers) {
    Watch expired(0.0);
    CHECK(solver(problem.graph, problem.costs, expired).size() == 120);
    CHECK(expired.reason() == StopReason::kTimeLimit);
    Watch refused(
        kInfinity, [](double, double) { return StopReason::kCallback; }, true);
    CHECK(solver(problem.graph, problem.costs, refused).size() == 120);
    CHECK(refused.reason() == StopReason::kCallback);
  }
}

TEST_CASE("gaec that was not stopped is no worse than any partition that needs no search") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    auto problem = problems::random_problem(20, 30, problems::Costs::kNormal, seed);
    for (double& cost : problem.costs) cost += static_cast<double>(seed % 5) / 2 - 1;
    Watch watch;
    const Labels found = gaec(problem.graph, problem.costs, watch);
    CHECK(watch.is_beyond_trivial());
    const Labels trivial = trivial_partition(problem.graph, problem.costs);
    CHECK(objective(problem.graph, problem.costs, found) <=
          objective(problem.graph, problem.costs, trivial) + 1e-12);
    Watch late(0);
    gaec(problem.graph, problem.costs, late);
    CHECK(!late.is_beyond_trivial());
  }
}

TEST_CASE("trivial partitions are feasible and no worse than single nodes or one cluster") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    auto problem = problems::random_problem(9, 30, problems::Costs::kNormal, seed);
    const RandomStream random(seed, 9);
    for (EdgeId e = 0; e < problem.costs.size(); ++e) {
      problem.costs[e] += static_cast<double>(seed % 5) - 2.0;
      if (seed % 2 == 0 && random.bits(e) % 8 == 0) problem.costs[e] = kInfinity;
      if (seed % 3 == 0 && random.bits(e) % 8 == 1) problem.costs[e] = -kInfinity;
    }
    if (find_contradiction(problem.graph, problem.costs)) continue;
    Labels labels = trivial_partition(problem.graph, problem.costs);
    CHECK(split_disconnected(problem.graph, labels) == labels);
    const double found = objective(problem.graph, problem.costs, labels);
    const std::vector<std::uint8_t> nothing(problem.costs.size(), 0);
    const Labels together = connected_components(problem.graph, nothing);
    std::vector<std::uint8_t> repels(problem.costs.size());
    for (EdgeId e = 0; e < repels.size(); ++e) repels[e] = problem.costs[e] <= 0;
    const Labels attract = connected_components(problem.graph, repels);
    const Labels apart = must_link_groups(problem.graph, problem.costs);
    CHECK(found <= objective(problem.graph, problem.costs, apart) + 1e-12);
    CHECK(found <= objective(problem.graph, problem.costs, together) + 1e-12);
    if (std::ranges::find(problem.costs, -kInfinity) == problem.costs.end()) {
      CHECK(found <= objective(problem.graph, problem.costs, attract) + 1e-12);
    }
  }
}

TEST_CASE("an instance that is stopped says so") {
  auto problem = problems::random_problem(60, 30, problems::Costs::kNormal, 4);
  problem.costs[0] = kInfinity;
  problem.costs[1] = -kInfinity;
  int num_checks = 0;
  const Instance complete(problem.graph, problem.costs, [&] { return ++num_checks < 0; });
  CHECK(complete.is_complete());
  CHECK(num_checks > 2);
  for (int patience = 0; patience < num_checks; ++patience) {
    int checks = 0;
    const Instance stopped(problem.graph, problem.costs, [&] { return ++checks > patience; });
    CHECK(!stopped.is_complete());
  }
}

TEST_CASE("instances hide constraints and extreme scales") {
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    CAPTURE(seed);
    auto problem = problems::random_problem(7, 80, problems::Costs::kNormal, seed);
    const RandomStream random(seed, 9);
    const double scale = seed % 4 == 0 ? 1e-300 : seed % 4 == 1 ? 1e300 : 1;
    for (EdgeId e = 0; e < problem.costs.size(); ++e) {
      problem.costs[e] *= scale;
      if (random.bits(e) % 8 == 0) problem.costs[e] = kInfinity;
      if (random.bits(e) % 8 == 1) problem.costs[e] = -kInfinity;
    }
    const double best = problems::optimum(problem);
    CHECK(find_contradiction(problem.graph, problem.costs).has_value() == (best == kInfinity));
    if (best == kInfinity) continue;

    const Instance instance(problem.graph, problem.costs);
    for (const Solver& solver : kSolvers) {
      Watch watch;
      instance.attach(watch);
      const Labels labels = instance.lift(solver(instance.graph(), instance.costs(), watch));
      const double found = objective(problem.graph, problem.costs, labels);
      CHECK(found < kInfinity);
      CHECK(found >= best - 1e-9 * scale);
      if (!watch.trace().empty()) {
        CHECK(std::abs(watch.trace().back().objective - found) <= 1e-6 * scale);
      }
    }
    // Any start is made to meet the constraints.
    const Labels all_in_one(7, 0);
    const Labels lowered = instance.lower(all_in_one);
    CHECK(objective(problem.graph, problem.costs, instance.lift(lowered)) < kInfinity);
  }
}

TEST_CASE("constraints hold wherever a solver is stopped") {
  // A cannot-link between two halves that the costs would rather join, or tear apart at others.
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    auto problem = problems::random_problem(60, 30, problems::Costs::kNormal, seed);
    for (EdgeId e = 0; e < problem.costs.size(); e += 7) problem.costs[e] = -kInfinity;
    for (EdgeId e = 1; e < problem.costs.size(); e += 11) problem.costs[e] *= -1e6;
    const Instance instance(problem.graph, problem.costs);
    for (const Solver& solver : kSolvers) {
      for (int patience = 1; patience < 12; ++patience) {
        int reports = 0;
        Watch watch(
            kInfinity,
            [&](double, double) {
              return ++reports == patience ? StopReason::kCallback : StopReason::kConverged;
            },
            true);
        const Labels labels = solver(instance.graph(), instance.costs(), watch);
        CHECK(split_disconnected(instance.graph(), labels) == labels);
        CHECK(objective(problem.graph, problem.costs, instance.lift(labels)) < kInfinity);
      }
    }
  }
}

TEST_CASE("neither constraints nor one huge cost blind the local search") {
  const auto problem = problems::random_problem(60, 20, problems::Costs::kNormal, 3);
  const auto objective_with = [&](double cost_of_first, double scale) {
    std::vector<double> costs = problem.costs;
    for (double& cost : costs) cost *= scale;
    costs[0] = cost_of_first;
    const Instance instance(problem.graph, costs);
    Watch watch;
    const Labels labels = klj(instance.graph(), instance.costs(), singletons(60), {}, watch);
    costs[0] = 0;
    return objective(problem.graph, costs, instance.lift(labels)) / scale;
  };
  const double expected = objective_with(-1, 1);
  for (const double scale : {1.0, 1e-6, 1e-12, 1e-30}) {
    CAPTURE(scale);
    CHECK(objective_with(-kInfinity, scale) < 0.95 * expected);
  }
  for (const double huge : {1e3, 1e9, 1e12, 1e15}) {
    CHECK(objective_with(-huge, 1) < 0.95 * expected);
  }
}

TEST_CASE("costs of all sizes together come to an end") {
  // Rounding of the huge costs is larger than the tiny ones, and looks like gains.
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    auto problem = problems::random_problem(7, 80, problems::Costs::kNormal, seed);
    const RandomStream random(seed, 6);
    for (EdgeId e = 0; e < problem.costs.size(); ++e) {
      const std::uint64_t kind = random.bits(e) % 4;
      problem.costs[e] *= kind == 0 ? 1e300 : kind == 1 ? 1e-300 : 1;
    }
    const Instance instance(problem.graph, problem.costs);
    for (const Solver& solver : kSolvers) {
      Watch watch;
      const Labels labels = solver(instance.graph(), instance.costs(), watch);
      CHECK(std::isfinite(objective(problem.graph, problem.costs, instance.lift(labels))));
    }
  }
}

TEST_CASE("stars and cliques are no trouble") {
  // Each of these took a time quadratic or worse in an earlier version.
  const NodeId leaves = 20'000;
  std::vector<Edge> edges;
  for (NodeId leaf = 1; leaf <= leaves; ++leaf) edges.push_back({0, leaf});
  const Graph star(leaves + 1, std::move(edges));
  const RandomStream random(4, 4);
  std::vector<double> costs(leaves);
  for (EdgeId e = 0; e < leaves; ++e) costs[e] = random.normal(e);
  double best = 0;
  for (const double cost : costs) best += std::min(cost, 0.0);
  for (const Solver& solver : {kSolvers[0], kSolvers[1], kSolvers[2], kSolvers[3]}) {
    Watch watch;
    CHECK(close(objective(star, costs, solver(star, costs, watch)), best));
  }
  Watch watch;
  CHECK(close(objective(star, costs, klj(star, costs, singletons(leaves + 1), {}, watch)), best));

  const auto clique = problems::random_problem(300, 100, problems::Costs::kNormal, 1);
  for (const double cost : {-1.0, 0.0, 1.0}) {
    const std::vector<double> equal(clique.costs.size(), cost);
    const Labels labels = klj(clique.graph, equal, singletons(300), {}, watch);
    CHECK(close(objective(clique.graph, equal, labels), cost < 0 ? -44'850.0 : 0.0));
  }
}

TEST_CASE("random numbers are what they always were") {
  const RandomStream random(1, 2);
  CHECK(random.bits(0) == 16613338946343043936U);
  CHECK(random.bits(1) == 5167718485781182436U);
  CHECK(random.bits(0) != RandomStream(1, 3).bits(0));
  double sum = 0;
  double squares = 0;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    sum += random.normal(i);
    squares += random.normal(i) * random.normal(i);
  }
  CHECK(std::abs(sum / 100'000) < 0.02);
  CHECK(std::abs(squares / 100'000 - 1) < 0.02);
}
