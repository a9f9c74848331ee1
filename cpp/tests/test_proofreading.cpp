#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "framework.hpp"
#include "multicut/bounds/cycle_packing.hpp"
#include "multicut/bounds/flip_bounds.hpp"
#include "multicut/proofreading/live_graph.hpp"
#include "multicut/proofreading/live_partition.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/random.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the partition costs under the costs of the moment; infinite if it violates a constraint.
double cost_of(const LivePartition& partition) {
  const LiveGraph& graph = partition.graph();
  double sum = 0;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    const bool is_cut = partition.labels()[u] != partition.labels()[v];
    const double cost = graph.cost(e);
    if (std::isinf(cost)) {
      if (is_cut == (cost > 0)) return kInfinity;
    } else if (is_cut) {
      sum += cost;
    }
  }
  return sum;
}

std::size_t count_clusters(Labels labels) { return make_canonical(labels); }

LivePartition partition_of(const WeightedGraph& problem) {
  Watch watch;
  return LivePartition(problem.graph, problem.costs, gaec(problem.graph, problem.costs, watch));
}

}  // namespace

TEST_CASE("a live graph grows and shrinks") {
  const Graph graph(4, {{0, 1}, {1, 2}});
  const std::vector<double> costs{kInfinity, 1};
  LiveGraph live(graph, costs);
  CHECK(live.find(1, 0) == 0);
  CHECK(live.find(0, 3) == kNoEdge);
  CHECK(live.add_edge(3, 2, kInfinity) == 2);
  live.set_cost(1, kInfinity);
  CHECK(live.find(2, 3) == 2);
  CHECK(live.degree(2) == 2);
  CHECK(live.must_link_path(0, 3) == std::vector<EdgeId>{0, 1, 2});
  CHECK(live.must_link_group(3) == std::vector<NodeId>{3, 2, 1, 0});
  live.set_cost(1, -kInfinity);
  CHECK(live.must_link_path(0, 3).empty());
  CHECK(live.cannot_link_between(0, 3) == EdgeId{1});
  live.remove_last_edge();
  CHECK(live.num_edges() == 2);
  CHECK(live.find(2, 3) == kNoEdge);
  CHECK_FALSE(live.cannot_link_between(0, 3).has_value());
}

TEST_CASE("a live partition follows constraints, and what it says of itself is true") {
  for (const std::size_t region_size : std::vector<std::size_t>{2, 8, 100}) {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const WeightedGraph problem =
          problems::random_problem(30, 15, problems::Costs::kNormal, seed);
      LivePartition partition = partition_of(problem);
      const RandomStream random(seed, 1);
      for (std::uint64_t i = 0; i < 30; ++i) {
        const auto e = static_cast<EdgeId>(random.bits(i) % problem.graph.num_edges());
        const auto [u, v] = problem.graph.edge(e);
        if (std::isinf(partition.graph().cost(e))) continue;
        const bool is_joined = partition.labels()[u] == partition.labels()[v];
        if (is_joined ? !partition.graph().must_link_path(u, v).empty()
                      : partition.graph().cannot_link_between(u, v).has_value()) {
          continue;
        }
        const Labels before = partition.labels();
        partition.set_cost(e, is_joined ? -kInfinity : kInfinity);
        partition.improve({u, v}, region_size, 3);
        CHECK((partition.labels()[u] == partition.labels()[v]) != is_joined);
        CHECK(partition.objective() == doctest::Approx(cost_of(partition)));
        CHECK(partition.num_clusters() == count_clusters(partition.labels()));
        for (const auto& [node, old, now] : partition.take_changes()) {
          CHECK(before[node] == old);
          CHECK(partition.labels()[node] == now);
        }
      }
      // Clusters are connected.
      Labels labels = partition.labels();
      make_canonical(labels);
      CHECK(split_disconnected(problem.graph, labels) == labels);
    }
  }
}

TEST_CASE("flips leave a partition as it is, and bounds enclose what they cost") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const WeightedGraph problem = problems::random_problem(7, 60, problems::Costs::kNormal, seed);
    LivePartition partition = partition_of(problem);
    const Labels labels = partition.labels();
    Watch watch;
    PackingOptions options;
    options.keeps_left = true;
    const PackingResult packed = pack_cycles(problem.graph, problem.costs, options, watch);
    double bound = 0;
    for (EdgeId e = 0; e < problem.graph.num_edges(); ++e) {
      CHECK(packed.left[e] <= std::abs(problem.costs[e]));
      if (problem.costs[e] < 0) bound -= packed.left[e];
    }
    const std::vector<double> lower = flip_bounds(problem.graph, problem.costs, packed.left, labels);
    const std::vector<double> simple = simple_flips(problem.graph, problem.costs, labels);
    for (EdgeId e = 0; e < problem.graph.num_edges(); ++e) {
      const auto [u, v] = problem.graph.edge(e);
      double least = kInfinity;
      problems::for_each_partition(problem.graph.num_nodes(), [&](const Labels& other) {
        if ((other[u] == other[v]) == (labels[u] == labels[v])) return;
        least = std::min(least, objective(problem.graph, problem.costs, other));
      });
      const double margin = least - objective(problem.graph, problem.costs, labels);
      CHECK(bound + lower[e] <= least + 1e-9);
      CHECK(simple[e] >= margin - 1e-9);
      CHECK(partition.flip(e, 100).margin >= margin - 1e-9);
      CHECK(partition.labels() == labels);
      CHECK(partition.objective() == doctest::Approx(objective(problem.graph, problem.costs, labels)));
    }
  }
}

TEST_CASE("changes can be taken back") {
  const WeightedGraph problem = problems::random_problem(40, 10, problems::Costs::kNormal, 3);
  LivePartition partition = partition_of(problem);
  const Labels before = partition.labels();
  const double objective_before = partition.objective();
  partition.add_edge(0, 39, partition.labels()[0] == partition.labels()[39] ? -50.0 : 50.0);
  partition.improve({0, 39}, 20, 4);
  std::vector<NodeId> nodes;
  std::vector<NodeId> clusters;
  for (const auto& [node, old, now] : partition.take_changes()) {
    nodes.push_back(node);
    clusters.push_back(old);
  }
  CHECK_FALSE(nodes.empty());
  partition.relabel(nodes, clusters);
  partition.remove_last_edge();
  CHECK(partition.labels() == before);
  CHECK(partition.objective() == doctest::Approx(objective_before));
  partition.adopt(singletons(40));
  CHECK(partition.num_clusters() == 40);
  CHECK(partition.objective() == doctest::Approx(cost_of(partition)));
}

TEST_CASE("parts of a cluster are joined by mean cost, must-links first") {
  // A square 0-1-3-2 of which two sides are strong, and a tail.
  const Graph graph(5, {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {3, 4}});
  const std::vector<double> costs{4, 3, 1, 2, kInfinity};
  LivePartition partition(graph, costs, Labels(5, 0));
  const std::vector<double> weights{1, 2, 1, 1, 8};
  std::vector<Border> borders;
  CHECK(partition.borders_within(0, weights, borders) == 4);
  REQUIRE(borders.size() == 3);
  CHECK(borders[0].cost == 4);
  CHECK(borders[1].cost == 3);
  CHECK(borders[2].cost == 3);  // the two other sides
  CHECK(borders[2].count == 2);
  CHECK(borders[2].first_weight + borders[2].second_weight == 13);
  CHECK(std::min(borders[2].u, borders[2].v) == 1);  // the heaviest nodes
  CHECK(std::max(borders[2].u, borders[2].v) == 4);
  CHECK(partition.part_around(2, 0) == std::vector<NodeId>{2, 3, 4});
  CHECK(partition.borders_between(weights).empty());
}

TEST_CASE("clusters have a border unless a cannot-link keeps them apart") {
  const Graph graph(4, {{0, 1}, {2, 3}, {0, 2}, {1, 3}});
  const std::vector<double> costs{4, 3, -1, -2};
  LivePartition partition(graph, costs, Labels{0, 0, 1, 1});
  const std::vector<double> weights{1, 2, 3, 4};
  const std::vector<Border> borders = partition.borders_between(weights);
  REQUIRE(borders.size() == 1);
  CHECK(borders[0].cost == -3);
  CHECK(borders[0].first_weight + borders[0].second_weight == 10);
  partition.set_cost(3, -kInfinity);
  CHECK(partition.borders_between(weights).empty());
}
