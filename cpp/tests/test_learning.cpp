#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <vector>

#include "framework.hpp"
#include "multicut/learning/chordless_cycles.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

constexpr std::size_t kMany = 1'000'000;

using EdgeSet = std::vector<EdgeId>;

// A set of nodes induces a chordless cycle if it is connected and each has two neighbours in it.
std::set<EdgeSet> cycles_by_brute_force(const Graph& graph, int max_length) {
  std::set<EdgeSet> cycles;
  for (std::uint32_t set = 0; set < (1U << graph.num_nodes()); ++set) {
    const int size = std::popcount(set);
    if (size < 3 || size > max_length) continue;
    std::vector<int> degrees(graph.num_nodes(), 0);
    std::vector<std::uint8_t> outside(graph.num_edges(), 1);
    EdgeSet inside;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const auto [u, v] = graph.edge(e);
      if (!(set >> u & 1U) || !(set >> v & 1U)) continue;
      ++degrees[u];
      ++degrees[v];
      outside[e] = 0;
      inside.push_back(e);
    }
    const Labels parts = connected_components(graph, outside);
    bool is_cycle = true;
    for (NodeId u = 0; u < graph.num_nodes(); ++u) {
      if (!(set >> u & 1U)) continue;
      const auto first = static_cast<NodeId>(std::countr_zero(set));
      is_cycle &= degrees[u] == 2 && parts[u] == parts[first];
    }
    if (is_cycle) cycles.insert(inside);
  }
  return cycles;
}

std::set<EdgeSet> as_sets(const ChordlessCycles& cycles) {
  std::set<EdgeSet> sets;
  for (std::size_t i = 0; i + 1 < cycles.offsets.size(); ++i) {
    EdgeSet edges(cycles.edges.begin() + cycles.offsets[i],
                  cycles.edges.begin() + cycles.offsets[i + 1]);
    std::ranges::sort(edges);
    CHECK(sets.insert(edges).second);
  }
  return sets;
}

}  // namespace

TEST_CASE("chordless cycles are those of brute force") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    const int percent = 15 + static_cast<int>(seed % 4) * 15;
    const Graph graph = problems::random_problem(10, percent, problems::Costs::kNormal, seed).graph;
    const std::vector<std::int64_t> offsets{0, 10};
    for (const int length : {3, 4, 5, 6, 7, 8}) {
      CAPTURE(length);
      CHECK(as_sets(chordless_cycles(graph, offsets, length, kMany, 1)) ==
            cycles_by_brute_force(graph, length));
    }
  }
}

TEST_CASE("chordless cycles follow the edges around") {
  const Graph ring(8, {{0, 1}, {2, 1}, {2, 3}, {3, 4}, {5, 4}, {5, 6}, {6, 7}, {7, 0}});
  const std::vector<std::int64_t> offsets{0, 8};
  const ChordlessCycles cycles = chordless_cycles(ring, offsets, 8, kMany, 1);
  CHECK(cycles.offsets == std::vector<std::int64_t>{0, 8});
  for (std::size_t i = 0; i < 8; ++i) {
    const auto [a, b] = ring.edge(cycles.edges[i]);
    const auto [c, d] = ring.edge(cycles.edges[(i + 1) % 8]);
    CHECK((a == c || a == d || b == c || b == d));
  }
  CHECK(chordless_cycles(ring, offsets, 7, kMany, 1).edges.empty());
}

TEST_CASE("chordless cycles do not depend on threads") {
  // Enough graphs for several tasks.
  std::vector<Edge> edges;
  std::vector<std::int64_t> offsets{0};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const auto problem = problems::random_problem(12, 30, problems::Costs::kNormal, seed);
    const auto first = static_cast<NodeId>(offsets.back());
    for (const auto [u, v] : problem.graph.edges()) edges.push_back({first + u, first + v});
    offsets.push_back(offsets.back() + 12);
  }
  const Graph graph(static_cast<NodeId>(offsets.back()), edges);
  const ChordlessCycles one = chordless_cycles(graph, offsets, 8, kMany, 1);
  const ChordlessCycles four = chordless_cycles(graph, offsets, 8, kMany, 4);
  CHECK(one.offsets == four.offsets);
  CHECK(one.edges == four.edges);
  CHECK(one.graph_offsets == four.graph_offsets);
  CHECK(one.graph_offsets.size() == offsets.size());
  CHECK(one.graph_offsets.back() == static_cast<std::int64_t>(one.offsets.size()) - 1);
  // The cycles of a graph are its own.
  for (std::size_t g = 0; g + 1 < offsets.size(); ++g) {
    for (auto i = one.graph_offsets[g]; i < one.graph_offsets[g + 1]; ++i) {
      const NodeId node = graph.edge(one.edges[static_cast<std::size_t>(
                                         one.offsets[static_cast<std::size_t>(i)])]).u;
      CHECK(offsets[g] <= node);
      CHECK(node < offsets[g + 1]);
    }
  }
}

TEST_CASE("chordless cycles refuse what they cannot list") {
  const Graph complete = problems::random_problem(9, 100, problems::Costs::kNormal, 0).graph;
  const std::vector<std::int64_t> offsets{0, 9};
  CHECK(chordless_cycles(complete, offsets, 8, 84, 2).offsets.size() == 85);
  CHECK_THROWS_AS(chordless_cycles(complete, offsets, 8, 83, 2), TooManyCyclesError);
  CHECK_THROWS_AS(chordless_cycles(complete, offsets, 2, kMany, 1), std::invalid_argument);
  CHECK_THROWS_AS(chordless_cycles(complete, offsets, 9, kMany, 1), std::invalid_argument);
  const std::vector<std::int64_t> halves{0, 4, 9};
  CHECK_THROWS_AS(chordless_cycles(complete, halves, 8, kMany, 1), std::invalid_argument);
  const std::vector<std::int64_t> short_by_one{0, 8};
  CHECK_THROWS_AS(chordless_cycles(complete, short_by_one, 8, kMany, 1), std::invalid_argument);
  const Graph doubled(2, {{0, 1}, {1, 0}});
  const std::vector<std::int64_t> pair{0, 2};
  CHECK_THROWS_AS(chordless_cycles(doubled, pair, 8, kMany, 1), std::invalid_argument);
  const Graph loop(2, {{1, 1}});
  CHECK_THROWS_AS(chordless_cycles(loop, pair, 8, kMany, 1), std::invalid_argument);
}

TEST_CASE("chordless cycles of nothing are none") {
  const std::vector<std::int64_t> no_graphs{0};
  CHECK(chordless_cycles(Graph(), no_graphs, 8, kMany, 3).graph_offsets.size() == 1);
  const std::vector<std::int64_t> with_empty{0, 0, 3, 3};
  const Graph triangle(3, {{0, 1}, {1, 2}, {0, 2}});
  CHECK(chordless_cycles(triangle, with_empty, 8, kMany, 3).graph_offsets ==
         std::vector<std::int64_t>{0, 0, 1, 1});
}
