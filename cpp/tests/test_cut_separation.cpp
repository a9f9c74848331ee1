#include <algorithm>
#include <vector>

#include "framework.hpp"
#include "multicut/exact/cut_separation.hpp"
#include "multicut/graph/components.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

// The edges of a random graph, of which the last ones are lifted.
struct LiftedGraph {
  Graph ordinary;
  Graph both;
};

LiftedGraph random_lifted_graph(NodeId num_nodes, std::uint64_t seed) {
  const Graph all = problems::random_problem(num_nodes, 60, problems::Costs::kNormal, seed).graph;
  const RandomStream random(seed, 7);
  std::vector<Edge> ordinary;
  std::vector<Edge> lifted;
  for (EdgeId e = 0; e < all.num_edges(); ++e) {
    (random.bits(e) % 3 != 0 ? ordinary : lifted).push_back(all.edge(e));
  }
  std::vector<Edge> both = ordinary;
  both.insert(both.end(), lifted.begin(), lifted.end());
  return {Graph(num_nodes, std::move(ordinary)), Graph(num_nodes, std::move(both))};
}

// Which edges a partition cuts whose clusters are split where ordinary edges do not connect them.
std::vector<double> cut_of(const LiftedGraph& graph, const Labels& labels) {
  const Labels connected = components_of(graph.ordinary, [&](EdgeId e) {
    return labels[graph.ordinary.edge(e).u] == labels[graph.ordinary.edge(e).v];
  });
  std::vector<double> cut(graph.both.num_edges());
  for (EdgeId e = 0; e < cut.size(); ++e) {
    cut[e] = connected[graph.both.edge(e).u] != connected[graph.both.edge(e).v] ? 1 : 0;
  }
  return cut;
}

double violation(std::span<const EdgeId> inequality, std::span<const double> values) {
  double total = 1 - values[inequality.front()];
  for (const EdgeId e : inequality.subspan(1)) total -= 1 - values[e];
  return total;
}

}  // namespace

TEST_CASE("a lifted edge across a cut path violates the cuts next to both ends") {
  const Graph ordinary(4, {{0, 1}, {1, 2}, {2, 3}});
  const Graph both(4, {{0, 1}, {1, 2}, {2, 3}, {0, 3}});
  const Cycles cuts = separate_cuts(ordinary, both, std::vector<double>{1, 0, 1, 0}, 1e-6);
  REQUIRE(cuts.size() == 2);
  CHECK(std::ranges::equal(cuts[0], std::vector<EdgeId>{3, 0}));
  CHECK(std::ranges::equal(cuts[1], std::vector<EdgeId>{3, 2}));
  CHECK(separate_cuts(ordinary, both, std::vector<double>{0, 0, 0, 0}, 1e-6).size() == 0);
  CHECK(separate_cuts(ordinary, both, std::vector<double>{1, 0, 1, 1}, 1e-6).size() == 0);
}

TEST_CASE("edges that do not lead to the other end are not in the cut") {
  // Node 2 hangs at 0 alone, so the edge to it does not separate 0 from 1.
  const Graph ordinary(3, {{0, 1}, {0, 2}});
  const Graph both(3, {{0, 1}, {0, 2}, {2, 1}});
  const Cycles cuts = separate_cuts(ordinary, both, std::vector<double>{1, 1, 0}, 1e-6);
  REQUIRE(cuts.size() == 2);
  CHECK(std::ranges::equal(cuts[0], std::vector<EdgeId>{2, 1}));
  CHECK(std::ranges::equal(cuts[1], std::vector<EdgeId>{2, 0}));
}

TEST_CASE("every partition satisfies the cut inequalities of fractional values") {
  std::size_t count = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    const LiftedGraph graph = random_lifted_graph(7, seed);
    const RandomStream random(seed, 3);
    std::vector<double> values(graph.both.num_edges());
    for (EdgeId e = 0; e < values.size(); ++e) {
      values[e] = static_cast<double>(random.bits(e) % 5) / 4;
    }
    const Cycles cuts = separate_cuts(graph.ordinary, graph.both, values, 1e-6);
    count += cuts.size();
    for (std::size_t i = 0; i < cuts.size(); ++i) CHECK(violation(cuts[i], values) > 1e-6);
    problems::for_each_partition(7, [&](const Labels& labels) {
      const std::vector<double> cut = cut_of(graph, labels);
      bool holds = true;
      for (std::size_t i = 0; i < cuts.size(); ++i) holds &= violation(cuts[i], cut) <= 0;
      REQUIRE(holds);
    });
  }
  CHECK(count > 100);
}

TEST_CASE("partitions violate no cut inequality, and threads do not matter") {
  const LiftedGraph graph = random_lifted_graph(60, 5);
  const RandomStream random(1, 2);
  Labels labels(60);
  for (NodeId node = 0; node < 60; ++node) labels[node] = static_cast<NodeId>(random.bits(node) % 9);
  CHECK(separate_cuts(graph.ordinary, graph.both, cut_of(graph, labels), 1e-6).size() == 0);

  std::vector<double> values(graph.both.num_edges());
  for (EdgeId e = 0; e < values.size(); ++e) {
    values[e] = e < graph.ordinary.num_edges() ? 0.9 + 0.01 * static_cast<double>(e % 10) : 0.1;
  }
  const Cycles one = separate_cuts(graph.ordinary, graph.both, values, 1e-6);
  const Cycles two = separate_cuts(graph.ordinary, graph.both, values, 1e-6, 1e9, 2);
  CHECK(one.size() > 10);
  CHECK(one.offsets == two.offsets);
  CHECK(one.edges == two.edges);
}
