#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "framework.hpp"
#include "multicut/solvers/blocks.hpp"
#include "multicut/solvers/fusion.hpp"
#include "multicut/solvers/fusion_moves.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/label_propagation.hpp"
#include "multicut/solvers/memetic.hpp"
#include "multicut/solvers/proposals.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

bool is_connected(const Graph& graph, const Labels& labels) {
  return split_disconnected(graph, labels) == labels;
}

// A ring in which each node has edges to the next four: sparse, of small clusters, and large enough to
// be divided.
WeightedGraph large_problem() {
  constexpr NodeId kNumNodes = 1500;
  const RandomStream random(4, 0);
  std::vector<Edge> edges;
  std::vector<double> costs;
  for (NodeId node = 0; node < kNumNodes; ++node) {
    for (NodeId step = 1; step <= 4; ++step) {
      edges.push_back({node, (node + step) % kNumNodes});
      costs.push_back(random.normal(edges.size()));
    }
  }
  return {Graph(kNumNodes, std::move(edges)), std::move(costs)};
}

double cost(const WeightedGraph& problem, const Labels& labels) {
  return objective(problem.graph, problem.costs, labels);
}

}  // namespace

TEST_CASE("label propagation forms connected clusters that depend on its order") {
  int distinct = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(30, seed % 2 ? 100 : 20,
                                                  problems::Costs::kSmallIntegers, seed);
    Watch watch;
    const Labels labels =
        label_propagation(problem.graph, problem.costs, RandomStream(seed, 0), watch);
    CHECK(problems::is_canonical(labels));
    CHECK(is_connected(problem.graph, labels));
    CHECK(cost(problem, labels) <= cost(problem, singletons(30)));
    CHECK(labels == label_propagation(problem.graph, problem.costs, RandomStream(seed, 0), watch));
    distinct +=
        labels != label_propagation(problem.graph, problem.costs, RandomStream(seed, 1), watch);
  }
  CHECK(distinct > 20);
}

TEST_CASE("label propagation ignores the scale of costs and stops when told") {
  const auto problem = problems::random_problem(60, 100, problems::Costs::kSmallIntegers, 2);
  std::vector<double> scaled = problem.costs;
  for (double& value : scaled) value *= 1000;
  Watch watch;
  const RandomStream random(3, 0);
  CHECK(label_propagation(problem.graph, problem.costs, random, watch) ==
        label_propagation(problem.graph, scaled, random, watch));
  Watch expired(0.0);
  CHECK(expired.expired());
  const auto large = problems::random_problem(300, 100, problems::Costs::kNormal, 2);
  CHECK(label_propagation(large.graph, large.costs, random, expired) == singletons(300));
}

TEST_CASE("proposals are partitions into connected clusters, and most differ") {
  for (const int percent : {10, 100}) {
    const auto problem = problems::random_problem(60, percent, problems::Costs::kNormal, 9);
    const Proposals proposals(problem.graph, problem.costs, 0.5, 1);
    Watch watch;
    std::vector<Labels> found;
    for (std::uint64_t i = 0; i < 8; ++i) {
      const auto proposal = proposals.make(i, watch);
      REQUIRE(proposal.has_value());
      CHECK(problems::is_canonical(*proposal));
      CHECK(is_connected(problem.graph, *proposal));
      CHECK(*proposal == *proposals.make(i, watch));
      found.push_back(*proposal);
    }
    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    CHECK(found.size() - repeated.size() >= 6);
    Watch expired(0.0);
    CHECK(expired.expired());
    CHECK_FALSE(proposals.make(0, expired).has_value());
  }
}

TEST_CASE("fusion moves tell what they gain, and never lose") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(50, seed % 2 ? 100 : 15,
                                                  problems::Costs::kNormal, seed);
    const KljOptions options;
    Watch watch;
    FusionMoves moves(problem.graph, problem.costs, singletons(50), options, 0.5, seed);
    double expected = cost(problem, singletons(50));
    const Labels other =
        label_propagation(problem.graph, problem.costs, RandomStream(seed, 5), watch);
    const double first = moves.recombine(other, watch);
    CHECK(first >= 0);
    expected -= first;
    CHECK(cost(problem, moves.labels()) == doctest::Approx(expected));
    CHECK(cost(problem, moves.labels()) <= cost(problem, other) + 1e-9);
    expected -= moves.run(0, 5, watch);
    CHECK(cost(problem, moves.labels()) == doctest::Approx(expected));
    CHECK(problems::is_canonical(moves.labels()));
  }
}

TEST_CASE("blocks are made of whole clusters and cover all nodes") {
  const auto problem = large_problem();
  Watch watch;
  const Labels labels = gaec(problem.graph, problem.costs, watch);
  const Blocks blocks(problem.graph, labels, 100, 3, kNeverStop);
  CHECK(blocks.size() > 10);
  std::vector<std::size_t> block_of(labels.size(), blocks.size());
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    const Block part = blocks.extract(block, problem.costs, labels);
    const auto nodes = blocks.nodes(block);
    CHECK(part.graph.num_nodes() == nodes.size());
    CHECK(problems::is_canonical(part.labels));
    EdgeId inside = 0;
    for (const auto [u, v] : problem.graph.edges()) {
      inside += std::ranges::binary_search(nodes, u) && std::ranges::binary_search(nodes, v);
    }
    CHECK(part.graph.num_edges() == inside);
    for (const NodeId node : nodes) {
      CHECK(block_of[node] == blocks.size());
      block_of[node] = block;
    }
  }
  for (NodeId node = 0; node < labels.size(); ++node) {
    CHECK(block_of[node] < blocks.size());
    for (const NodeId neighbour : problem.graph.neighbours(node)) {
      if (labels[node] == labels[neighbour]) CHECK(block_of[node] == block_of[neighbour]);
    }
  }
}

TEST_CASE("searches of large graphs do not depend on the number of threads, and improve the start") {
  const auto problem = large_problem();
  Watch unlimited;
  const Labels start = gaec(problem.graph, problem.costs, unlimited);
  REQUIRE(is_worth_dividing(problem.graph, start));
  CHECK_FALSE(is_worth_dividing(problem.graph, Labels(start.size(), 0)));
  std::vector<Labels> fused;
  std::vector<Labels> evolved;
  for (const int num_threads : {1, 2, 7}) {
    FusionOptions options;
    options.num_threads = num_threads;
    options.max_proposals = 8;
    Watch watch;
    fused.push_back(fusion(problem.graph, problem.costs, start, options, 3, watch));
    MemeticOptions rounds;
    rounds.num_threads = num_threads;
    rounds.max_rounds = 12;
    Watch other;
    evolved.push_back(memetic(problem.graph, problem.costs, start, rounds, 3, other));
    // Objectives are kept up to date, not computed.
    CHECK(other.trace().back().objective == doctest::Approx(cost(problem, evolved.back())));
  }
  CHECK(fused[0] == fused[1]);
  CHECK(fused[0] == fused[2]);
  CHECK(evolved[0] == evolved[1]);
  CHECK(evolved[0] == evolved[2]);
  CHECK(cost(problem, fused[0]) < cost(problem, start));
  CHECK(cost(problem, evolved[0]) < cost(problem, fused[0]));
  CHECK(is_connected(problem.graph, evolved[0]));
}

TEST_CASE("memetic finds small optima, and is never worse than its start") {
  int optimal = 0;
  const std::uint64_t count = 60;
  for (std::uint64_t seed = 0; seed < count; ++seed) {
    CAPTURE(seed);
    const auto kind = seed % 3 ? problems::Costs::kNormal : problems::Costs::kSmallIntegers;
    const auto problem = problems::random_problem(8, seed % 2 ? 40 : 100, kind, seed);
    MemeticOptions options;
    options.max_rounds = 2;
    Watch watch;
    const Labels start = singletons(8);
    const Labels labels = memetic(problem.graph, problem.costs, start, options, seed, watch);
    const double found = cost(problem, labels);
    CHECK(problems::is_canonical(labels));
    CHECK(found <= cost(problem, start));
    optimal += found <= problems::optimum(problem) + 1e-9;
    options.max_rounds = 0;
    CHECK(memetic(problem.graph, problem.costs, start, options, seed, watch) == start);
  }
  CHECK(optimal == static_cast<int>(count));
}
