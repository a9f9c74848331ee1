#include <cmath>
#include <limits>
#include <set>

#include "framework.hpp"
#include "multicut/lifted/contraction.hpp"
#include "multicut/lifted/fragments.hpp"
#include "multicut/lifted/fusion.hpp"
#include "multicut/lifted/gaec.hpp"
#include "multicut/lifted/greedy_fixation.hpp"
#include "multicut/lifted/instance.hpp"
#include "multicut/lifted/klj.hpp"
#include "multicut/lifted/moves.hpp"
#include "multicut/lifted/quotient.hpp"
#include "multicut/lifted/regions.hpp"
#include "multicut/lifted/torn_pieces.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

// Every pair of nodes is an edge, a lifted edge or neither.
OwnLiftedProblem random_lifted(NodeId num_nodes, int percent, int lifted_percent,
                               std::uint64_t seed) {
  const RandomStream random(seed, 3);
  std::uint64_t counter = 0;
  std::vector<Edge> edges[2];
  std::vector<double> costs[2];
  for (NodeId u = 0; u < num_nodes; ++u) {
    for (NodeId v = u + 1; v < num_nodes; ++v) {
      const auto draw = static_cast<int>(random.bits(counter++) % 100);
      if (draw >= percent + lifted_percent) continue;
      const int kind = draw < percent ? 0 : 1;
      edges[kind].push_back({u, v});
      costs[kind].push_back(random.normal(counter++));
    }
  }
  return {{Graph(num_nodes, std::move(edges[0])), std::move(costs[0])},
          {Graph(num_nodes, std::move(edges[1])), std::move(costs[1])}};
}

bool is_connected(const Graph& graph, const Labels& labels) {
  return split_disconnected(graph, labels) == labels;
}

double optimum(const LiftedProblem& problem) {
  double best = std::numeric_limits<double>::infinity();
  problems::for_each_partition(problem.graph.num_nodes(), [&](const Labels& labels) {
    if (is_connected(problem.graph, labels)) best = std::min(best, objective(problem, labels));
  });
  return best;
}

// Compares with the quotient of the problem as edges are contracted at random.
void check_contractions(const OwnLiftedProblem& own, std::uint64_t seed) {
  const LiftedProblem problem = own.view();
  LiftedContraction contraction(problem);
  const RandomStream random(seed, 7);
  for (std::uint64_t step = 0; step < 4 * contraction.num_ids(); ++step) {
    const auto e = static_cast<EdgeId>(random.bits(step) % contraction.num_ids());
    if (contraction.is_dead(e) || !contraction.connects(e)) continue;
    contraction.contract(e, [&](EdgeId kept, EdgeId absorbed, double, bool) {
      CHECK(!contraction.is_dead(kept));
      CHECK(contraction.is_dead(absorbed));
    });
    if (step % 16 != 0) continue;
    const OwnLiftedProblem expected =
        quotient(problem, contraction.labels(), contraction.num_nodes());
    std::size_t num_connecting = 0;
    std::size_t num_lifted = 0;
    double sum = 0;
    for (EdgeId other = 0; other < contraction.num_ids(); ++other) {
      if (contraction.is_dead(other)) continue;
      ++(contraction.connects(other) ? num_connecting : num_lifted);
      sum += contraction.cost(other) * contraction.cost(other);
    }
    double expected_sum = 0;
    for (const double cost : expected.ordinary.costs) expected_sum += cost * cost;
    for (const double cost : expected.lifted.costs) expected_sum += cost * cost;
    CHECK(num_connecting == expected.ordinary.graph.num_edges());
    CHECK(num_lifted == expected.lifted.graph.num_edges());
    CHECK(std::abs(sum - expected_sum) <= 1e-9 * (1 + expected_sum));
  }
}

}  // namespace

TEST_CASE("lifted contraction is the quotient of the problem") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    check_contractions(random_lifted(12, 30, 40, seed), seed);
    // Enough neighbours for hash tables, which grow and are cleaned.
    check_contractions(random_lifted(150, 4, 40, seed), seed);
  }
}

TEST_CASE("lifted heuristics return connected clusters, never better than the optimum") {
  KljOptions options;
  FusionOptions fusion_options;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const OwnLiftedProblem own = random_lifted(7, 40, 40, seed);
    const LiftedProblem problem = own.view();
    const double best = optimum(problem);
    Watch watch;
    const Labels greedy = gaec(problem, watch);
    const Labels fixed = greedy_fixation(problem, watch);
    const Labels searched = klj(problem, greedy, options, watch);
    const Labels fused = fusion(problem, searched, fusion_options, seed, watch);
    const Labels all = greedy_fusion(problem, fusion_options, seed, watch);
    for (const Labels& labels : {greedy, fixed, searched, fused, all}) {
      CHECK(is_connected(problem.graph, labels));
      CHECK(objective(problem, labels) >= best - 1e-9);
    }
    CHECK(objective(problem, searched) <= objective(problem, greedy) + 1e-9);
    CHECK(objective(problem, fused) <= objective(problem, searched) + 1e-9);
  }
}

TEST_CASE("lifted search keeps its books on larger problems") {
  KljOptions options;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const OwnLiftedProblem own = random_lifted(80, 5, 10, seed);
    const LiftedProblem problem = own.view();
    double told = 0;
    Watch watch(
        std::numeric_limits<double>::infinity(),
        [&](double value, double) {
          told = value;
          return StopReason::kConverged;
        },
        true);
    const Labels labels = klj(problem, singletons(80), options, watch);
    CHECK(is_connected(problem.graph, labels));
    // The first level tells of its objective, which later levels only lower.
    CHECK(objective(problem, labels) <= told + 1e-6);
    CHECK(objective(problem, labels) <= objective(problem, singletons(80)));
  }
}

TEST_CASE("pieces that a move tears off are found") {
  // A path of 7 nodes and a ring of 5.
  std::vector<Edge> edges;
  for (NodeId node = 0; node + 1 < 7; ++node) edges.push_back({node, node + 1});
  for (NodeId node = 0; node < 5; ++node) edges.push_back({7 + node, 7 + (node + 1) % 5});
  const std::vector<double> costs(edges.size(), 1);
  const Graph graph(12, edges);
  const Graph none(12, {});
  const LiftedProblem problem{graph, costs, none, {}};
  Labels labels(12, 0);
  for (NodeId node = 7; node < 12; ++node) labels[node] = 1;
  Watch watch;
  const OrderedProblem ordered(problem, labels, watch);
  Clustering clusters(ordered.reorder(labels), ordered.degrees());
  TornPieces torn(ordered, clusters);
  // Nodes keep their order here: clusters come one after the other.
  clusters.pretend(2, 2);
  const std::vector<NodeId> beside{1, 3};
  CHECK(torn.search(0, beside));
  REQUIRE(torn.pieces().size() == 1);
  CHECK(std::set<NodeId>(torn.pieces()[0].begin(), torn.pieces()[0].end()) ==
        std::set<NodeId>{0, 1});
  clusters.pretend(8, 2);
  const std::vector<NodeId> around{7, 9};
  CHECK(torn.search(1, around));
  CHECK(torn.pieces().empty());
}

TEST_CASE("mended moves cut the lifted edges between pieces") {
  // A path 0-1-2 whose ends attract each other by a lifted edge, beside node 3.
  const Graph graph(4, {{0, 1}, {1, 2}, {1, 3}});
  const Graph lifted(4, {{0, 2}});
  const std::vector<double> costs{1, 1, 5};
  const std::vector<double> lifted_costs{4};
  const LiftedProblem problem{graph, costs, lifted, lifted_costs};
  const Labels labels{0, 0, 0, 1};
  Watch watch;
  const OrderedProblem ordered(problem, labels, watch);
  Clustering clusters(ordered.reorder(labels), ordered.degrees());
  Mender mender(ordered, clusters, [&](std::size_t i) {
    while (clusters.num_clusters() <= 2 + i) clusters.add_cluster();
    return static_cast<NodeId>(2 + i);
  });
  std::vector<NodeMove> moves{{1, 0, 1}};
  CHECK(gain_of_move(ordered, clusters, 1, 1) == 3);
  clusters.pretend(1, 1);
  const std::optional<double> cost = mender.mend(moves, 0);
  REQUIRE(cost.has_value());
  CHECK(*cost == 4);
  CHECK(moves.size() == 2);
  CHECK(clusters.label(0) != clusters.label(2));
  undo_moves(clusters, moves);
  CHECK(clusters.labels() == labels);
}

TEST_CASE("an instance merges parallel edges and replaces constraints") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Graph graph(4, {{0, 1}, {1, 2}, {2, 3}});
  const Graph lifted(4, {{1, 0}, {0, 3}, {0, 2}});
  const std::vector<double> costs{-1, kInfinity, 2};
  const std::vector<double> lifted_costs{3, -kInfinity, 0.5};
  const LiftedInstance instance({graph, costs, lifted, lifted_costs});
  REQUIRE(instance.is_complete());
  const LiftedProblem problem = instance.problem();
  CHECK(problem.graph.num_nodes() == 3);  // 1 and 2 are one
  CHECK(problem.graph.num_edges() == 2);
  CHECK(problem.lifted.num_edges() == 1);
  CHECK(problem.costs[0] == 2.5);  // −1, 3 and 0.5 between 0 and {1, 2}
  CHECK(problem.lifted_costs[0] == -13);
  // The cluster that holds the cannot-link is dissolved, the must-link kept.
  const Labels all(4, 0);
  CHECK(instance.lift(instance.lower(all)) == Labels{0, 1, 1, 2});
}

TEST_CASE("regions take the better of two lifted partitions") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const OwnLiftedProblem own = random_lifted(30, 6, 8, seed);
    const LiftedProblem problem = own.view();
    Watch watch;
    Labels labels = gaec(problem, watch);
    const Labels other = greedy_fixation(problem, watch);
    const double before = objective(problem, labels);
    const double gain = take_better_regions(problem, labels, other);
    CHECK(gain >= 0);
    CHECK(std::abs(before - gain - objective(problem, labels)) < 1e-9);
    CHECK(objective(problem, labels) <= objective(problem, other) + 1e-9);
    CHECK(is_connected(problem.graph, labels));
  }
}

TEST_CASE("nodes whose cluster is another one have changed") {
  const Labels before{0, 0, 1, 1, 2, 2};
  CHECK(changed_nodes(before, before) == std::vector<std::uint8_t>(6, 0));
  CHECK(changed_nodes(before, {0, 0, 1, 1, 2, 3}) == std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1});
  CHECK(changed_nodes(before, {0, 0, 1, 1, 1, 1}) == std::vector<std::uint8_t>{0, 0, 1, 1, 1, 1});
  CHECK(changed_nodes(before, {0, 1, 1, 2, 3, 3}) == std::vector<std::uint8_t>{1, 1, 1, 1, 0, 0});
  CHECK(changed_nodes({}, {}).empty());
}

TEST_CASE("a search that begins at changes never gets worse") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const OwnLiftedProblem own = random_lifted(60, 4, 6, seed);
    const LiftedProblem problem = own.view();
    Watch watch;
    const Labels start = gaec(problem, watch);
    std::vector<std::uint8_t> is_changed(60, 0);
    for (NodeId node = 0; node < 60; ++node) is_changed[node] = start[node] % 2 == 0;
    const Labels labels = klj(problem, start, {}, watch, true, is_changed);
    CHECK(objective(problem, labels) <= objective(problem, start) + 1e-9);
    CHECK(is_connected(problem.graph, labels));
  }
}

TEST_CASE("fragments are small, connected and within clusters") {
  const OwnLiftedProblem own = random_lifted(200, 3, 3, 1);
  const LiftedProblem problem = own.view();
  Watch watch;
  std::vector<EdgeId> contracted;
  const Labels labels = gaec(problem, watch, &contracted);
  const Labels parts = fragments(problem.graph, contracted, 8);
  CHECK(is_connected(problem.graph, parts));
  CHECK(intersect(problem.graph, labels, parts) == parts);
  std::vector<int> sizes(200, 0);
  for (const NodeId part : parts) CHECK(++sizes[part] <= 8);
}
