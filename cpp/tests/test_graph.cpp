#include <algorithm>
#include <cmath>
#include <limits>

#include "check.hpp"
#include "multicut/graph/edge_queue.hpp"
#include "multicut/graph/graph.hpp"
#include "multicut/graph/indexed_heap.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/graph/simplify.hpp"
#include "multicut/solvers/instance.hpp"
#include "problems.hpp"

using namespace multicut;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

SimpleGraph simplified(std::vector<std::int64_t> endpoints, std::vector<double> costs,
                       std::optional<std::int64_t> num_nodes = std::nullopt) {
  return simplify(endpoints, costs, num_nodes);
}

}  // namespace

TEST(graph_lists_neighbours_with_their_edges) {
  const Graph graph(4, {{0, 1}, {2, 1}, {0, 2}});
  CHECK(graph.num_nodes() == 4 && graph.num_edges() == 3);
  CHECK(std::ranges::equal(graph.neighbours(1), std::vector<NodeId>{0, 2}));
  CHECK(std::ranges::equal(graph.incident_edges(1), std::vector<EdgeId>{0, 1}));
  CHECK(graph.degree(3) == 0);
}

TEST(simplify_keeps_a_simple_graph_as_it_is) {
  const SimpleGraph simple = simplified({1, 0, 1, 2}, {1, 2});
  CHECK((simple.graph.edge(0) == Edge{1, 0}) && (simple.graph.edge(1) == Edge{1, 2}));
  CHECK(simple.costs.empty() && simple.node_ids.empty() && simple.edge_of_input.empty());
}

TEST(simplify_maps_ids_adds_duplicates_and_drops_loops) {
  const SimpleGraph simple = simplified({9, 5, 5, 5, 5, 9, 9, 700}, {1, 7, 2, 4});
  CHECK((simple.node_ids == std::vector<std::int64_t>{5, 9, 700}));
  CHECK((simple.costs == std::vector<double>{3, 4}));
  CHECK((simple.edge_of_input == std::vector<std::int32_t>{0, -1, 0, 1}));
  CHECK(simple.num_self_loops == 1 && simple.num_duplicates == 1);
  CHECK(simple.graph.num_nodes() == 3 && simple.graph.num_edges() == 2);
}

TEST(simplify_maps_ids_of_any_size) {
  const std::int64_t huge = std::int64_t{1} << 60;
  const SimpleGraph simple = simplified({huge, 3, 3, huge - 1}, {1, 2});
  CHECK((simple.node_ids == std::vector<std::int64_t>{3, huge - 1, huge}));
  CHECK((simple.graph.edge(0) == Edge{2, 0}));
}

TEST(simplify_refuses_bad_input) {
  CHECK_THROWS(simplified({0, -1}, {1}), std::invalid_argument);
  CHECK_THROWS(simplified({0, 1}, {std::nan("")}), std::invalid_argument);
  CHECK_THROWS(simplified({0, 1}, {1, 2}), std::invalid_argument);
  CHECK_THROWS(simplified({0, 5}, {1}, 5), std::invalid_argument);
  CHECK_THROWS(simplified({0, 1}, {1}, -1), std::invalid_argument);
  CHECK_THROWS(simplified({0, 1, 1, 2}, {1.7e308, 1.7e308}), std::invalid_argument);
}

TEST(edges_that_must_and_must_not_be_cut_are_found) {
  const SimpleGraph simple = simplified({0, 2, 0, 1, 1, 0}, {1, kInfinity, -kInfinity});
  CHECK(find_contradiction(simple.graph, simple.costs) == 1);
  const SimpleGraph path = simplified({0, 1, 1, 2, 2, 0}, {kInfinity, kInfinity, -kInfinity});
  CHECK(find_contradiction(path.graph, std::vector<double>{kInfinity, kInfinity, -kInfinity}) == 2);
  CHECK(!find_contradiction(path.graph, std::vector<double>{kInfinity, -kInfinity, -kInfinity}));
}

TEST(objective_counts_constraints_only_when_violated) {
  const Graph graph(3, {{0, 1}, {1, 2}, {0, 2}});
  const std::vector<double> costs{kInfinity, -kInfinity, 2};
  CHECK(objective(graph, costs, Labels{0, 0, 1}) == 2);
  CHECK(objective(graph, costs, Labels{0, 1, 2}) == kInfinity);
  CHECK(objective(graph, costs, Labels{0, 0, 0}) == kInfinity);
}

TEST(objective_loses_no_digit_in_long_sums) {
  // 1 + 2^-60 · 2^20 − 1, which naive summation turns into zero.
  const NodeId leaves = (1 << 20) + 2;
  std::vector<Edge> edges;
  std::vector<double> costs;
  for (NodeId leaf = 1; leaf <= leaves; ++leaf) {
    edges.push_back({0, leaf});
    costs.push_back(std::ldexp(1.0, -60));
  }
  costs.front() = 1;
  costs.back() = -1;
  const Graph star(leaves + 1, std::move(edges));
  CHECK(objective(star, costs, singletons(leaves + 1)) == std::ldexp(1.0, -40));
}

TEST(quotient_sums_costs_between_clusters) {
  const Graph graph(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 0}});
  const auto [clusters, costs] = quotient(graph, std::vector<double>{1, 2, 4, 8, 16},
                                          Labels{0, 0, 1, 2}, 3);
  CHECK(clusters.num_nodes() == 3 && clusters.num_edges() == 3);
  double sum = 0;
  for (EdgeId e = 0; e < 3; ++e) {
    const auto [a, b] = clusters.edge(e);
    CHECK(costs[e] == (a == 0 && b == 1 ? 6 : a == 0 && b == 2 ? 16 : 8));
    sum += costs[e];
  }
  CHECK(sum == 30);
}

TEST(better_regions_are_taken_each_for_itself) {
  // Two triangles joined by an edge; each partition is better on one of them.
  const Graph graph(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}});
  const std::vector<double> costs{1, 1, 1, -1, -1, -1, -1};
  Labels labels{0, 1, 2, 3, 3, 3};
  const double before = objective(graph, costs, labels);
  const double gain = take_better_regions(graph, costs, labels, Labels{0, 0, 0, 1, 2, 3});
  CHECK((labels == Labels{0, 0, 0, 1, 2, 3}));
  CHECK(gain == 6 && objective(graph, costs, labels) == before - 6);
  labels = {0, 0, 0, 1, 1, 1};
  CHECK(take_better_regions(graph, costs, labels, Labels{0, 1, 2, 3, 4, 5}) == 3);
  CHECK((labels == Labels{0, 0, 0, 1, 2, 3}));
}

TEST(edge_queue_sorts_like_a_comparison_sort) {
  for (const std::size_t size : {0UL, 1UL, 100UL, 5000UL, 20000UL}) {
    for (const bool ties : {false, true}) {
      const RandomStream random(size, ties);
      std::vector<double> keys(size);
      for (std::size_t i = 0; i < size; ++i) {
        // Spread over many exponents, or with many ties.
        keys[i] = ties ? static_cast<double>(random.bits(i) % 7) - 2
                       : std::ldexp(random.normal(i), static_cast<int>(random.bits(i) % 120) - 60);
      }
      std::vector<EdgeId> expected;
      for (EdgeId e = 0; e < size; ++e) {
        if (keys[e] > 0) expected.push_back(e);
      }
      std::ranges::stable_sort(expected, [&](EdgeId a, EdgeId b) { return keys[a] > keys[b]; });
      EdgeQueue queue(keys);
      for (const EdgeId e : expected) {
        const auto item = queue.pop();
        CHECK(item && item->edge == e && item->key == keys[e]);
      }
      CHECK(!queue.pop());
    }
  }
}

TEST(edge_queue_merges_later_keys) {
  const std::vector<double> keys{3, 1, 2};
  EdgeQueue queue(keys);
  queue.push(2.5, 1);
  queue.push(2, 0);
  std::vector<EdgeId> order;
  while (const auto item = queue.pop()) order.push_back(item->edge);
  CHECK((order == std::vector<EdgeId>{0, 1, 0, 2, 1}));
}

TEST(indexed_heap_follows_changing_keys) {
  for (const NodeId size : {5U, 32U, 33U, 500U}) {
    const RandomStream random(size, 1);
    IndexedHeap heap(size);
    std::vector<double> keys(size);
    for (NodeId node = 0; node < size; ++node) {
      keys[node] = random.normal(node);
      heap.push(node, keys[node]);
    }
    std::uint64_t counter = size;
    while (!heap.empty()) {
      for (int i = 0; i < 3; ++i) {
        const auto node = static_cast<NodeId>(random.bits(counter++) % size);
        if (!heap.contains(node)) continue;
        const double change = random.normal(counter++);
        keys[node] += change;
        heap.add(node, change);
      }
      const auto [key, node] = heap.pop();
      CHECK(key == keys[node] && heap.was_popped(node));
      for (NodeId other = 0; other < size; ++other) {
        CHECK(!heap.contains(other) || keys[other] <= key);
      }
    }
    heap.clear();
    CHECK(!heap.was_popped(0) && !heap.contains(0));
  }
}
