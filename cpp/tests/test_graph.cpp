#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "framework.hpp"
#include "multicut/graph/components.hpp"
#include "multicut/graph/concurrent_sets.hpp"
#include "multicut/graph/edge_queue.hpp"
#include "multicut/graph/graph.hpp"
#include "multicut/graph/growing_sets.hpp"
#include "multicut/graph/indexed_heap.hpp"
#include "multicut/graph/local_order.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/graph/simplify.hpp"
#include "multicut/graph/sums.hpp"
#include "multicut/graph/union_find.hpp"
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

TEST_CASE("graph lists neighbours with their edges") {
  const Graph graph(4, {{0, 1}, {2, 1}, {0, 2}});
  REQUIRE(graph.num_nodes() == 4);
  REQUIRE(graph.num_edges() == 3);
  CHECK(std::ranges::equal(graph.neighbours(1), std::vector<NodeId>{0, 2}));
  CHECK(std::ranges::equal(graph.incident_edges(1), std::vector<EdgeId>{0, 1}));
  CHECK(graph.degree(3) == 0);
}

TEST_CASE("a graph in local order is the same graph") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const auto kind = problems::Costs::kNormal;
    const auto [graph, costs] = problems::random_problem(12, static_cast<int>(5 * seed), kind, seed);
    const LocallyOrdered ordered = order_locally(graph, costs);
    REQUIRE(ordered.graph.num_nodes() == graph.num_nodes());
    REQUIRE(ordered.graph.num_edges() == graph.num_edges());
    REQUIRE(ordered.costs.size() == costs.size());
    NodeId last = 0;
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      const auto [u, v] = ordered.graph.edge(e);
      CHECK(u < v);
      CHECK(u >= last);
      last = u;
      const auto found = std::ranges::find(costs, ordered.costs[e]);
      REQUIRE(found != costs.end());
      const Edge edge = graph.edge(static_cast<EdgeId>(found - costs.begin()));
      CHECK(std::minmax(edge.u, edge.v) == std::minmax(ordered.order[u], ordered.order[v]));
    }
    Labels labels(graph.num_nodes());
    for (NodeId i = 0; i < labels.size(); ++i) labels[i] = ordered.order[i] % 3;
    const Labels restored = ordered.restore(labels);
    for (NodeId node = 0; node < labels.size(); ++node) CHECK(restored[node] == node % 3);
  }
}

TEST_CASE("sets grow along attractive edges up to a size") {
  std::vector<std::uint32_t> parents{0, 1, 2, 3, 4};
  std::vector<std::uint32_t> sizes(5, 1);
  const std::vector<std::int64_t> u{4, 0, 3, 2, 1};
  const std::vector<std::int64_t> v{3, 1, 1, 0, 2};
  grow_sets(parents, sizes, u, v, std::vector<double>{1, 1, -1, 2, 1}, 0.0, 3);
  finish_sets(parents);
  CHECK(parents == std::vector<std::uint32_t>{0, 0, 0, 3, 3});
  CHECK(sizes[0] == 3);
  CHECK(sizes[3] == 2);
}

TEST_CASE("simplify keeps a simple graph as it is") {
  const SimpleGraph simple = simplified({1, 0, 1, 2}, {1, 2});
  CHECK(simple.graph.edge(0) == Edge{1, 0});
  CHECK(simple.graph.edge(1) == Edge{1, 2});
  CHECK(simple.costs.empty());
  CHECK(simple.node_ids.empty());
  CHECK(simple.edge_of_input.empty());
}

TEST_CASE("simplify maps ids adds duplicates and drops loops") {
  const SimpleGraph simple = simplified({9, 5, 5, 5, 5, 9, 9, 700}, {1, 7, 2, 4});
  CHECK(simple.node_ids == std::vector<std::int64_t>{5, 9, 700});
  CHECK(simple.costs == std::vector<double>{3, 4});
  CHECK(simple.edge_of_input == std::vector<std::int32_t>{0, -1, 0, 1});
  CHECK(simple.num_self_loops == 1);
  CHECK(simple.num_duplicates == 1);
  REQUIRE(simple.graph.num_nodes() == 3);
  REQUIRE(simple.graph.num_edges() == 2);
}

TEST_CASE("simplify maps ids of any size") {
  const std::int64_t huge = std::int64_t{1} << 60;
  const SimpleGraph simple = simplified({huge, 3, 3, huge - 1}, {1, 2});
  CHECK(simple.node_ids == std::vector<std::int64_t>{3, huge - 1, huge});
  CHECK(simple.graph.edge(0) == Edge{2, 0});
}

TEST_CASE("simplify refuses bad input") {
  CHECK_THROWS_AS(simplified({0, -1}, {1}), std::invalid_argument);
  CHECK_THROWS_AS(simplified({0, 1}, {std::nan("")}), std::invalid_argument);
  CHECK_THROWS_AS(simplified({0, 1}, {1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(simplified({0, 5}, {1}, 5), std::invalid_argument);
  CHECK_THROWS_AS(simplified({0, 1}, {1}, -1), std::invalid_argument);
  CHECK_THROWS_AS(simplified({0, 1, 1, 2}, {1.7e308, 1.7e308}), std::invalid_argument);
}

TEST_CASE("simplify counts nodes however their ids are mapped") {
  constexpr std::uint64_t kLimit = 4;
  const std::vector<double> three(3, 1.0);
  const auto count = [&](std::vector<std::int64_t> endpoints, std::optional<std::int64_t> given) {
    return simplify(endpoints, three, given, kLimit).graph.num_nodes();
  };
  const std::int64_t huge = std::int64_t{1} << 60;
  SUBCASE("ids without gaps") {
    CHECK(count({0, 1, 1, 2, 2, 0}, std::nullopt) == 3);
    CHECK_THROWS_WITH_AS(count({0, 1, 1, 2, 2, 3}, std::nullopt),
                         "a problem holds fewer than 4 nodes, got 4; split it into parts",
                         std::invalid_argument);
  }
  SUBCASE("ids with small gaps") {
    CHECK(count({0, 9, 9, 7, 7, 0}, std::nullopt) == 3);
    CHECK_THROWS_AS(count({0, 9, 9, 7, 7, 1}, std::nullopt), std::invalid_argument);
  }
  SUBCASE("large ids") {
    CHECK(count({0, huge, huge, 7, 7, 0}, std::nullopt) == 3);
    CHECK_THROWS_AS(count({0, huge, huge, 7, 7, 1}, std::nullopt), std::invalid_argument);
  }
  SUBCASE("given by the caller") {
    CHECK(count({0, 1, 1, 2, 2, 0}, 3) == 3);
    CHECK_THROWS_AS(count({0, 1, 1, 2, 2, 0}, 4), std::invalid_argument);
    CHECK_THROWS_WITH_AS(simplified({0, 1}, {1}, std::int64_t{1} << 31),
                         "a problem holds fewer than 2^31 nodes, got 2147483648; split it into parts",
                         std::invalid_argument);
  }
  SUBCASE("and edges") {
    CHECK_THROWS_AS(simplify(std::vector<std::int64_t>{0, 1, 0, 1, 0, 1, 0, 1},
                             std::vector<double>(4, 1.0), std::nullopt, kLimit),
                    std::invalid_argument);
  }
}

TEST_CASE("edges that must and must not be cut are found") {
  const SimpleGraph simple = simplified({0, 2, 0, 1, 1, 0}, {1, kInfinity, -kInfinity});
  CHECK(find_contradiction(simple.graph, simple.costs) == 1);
  const SimpleGraph path = simplified({0, 1, 1, 2, 2, 0}, {kInfinity, kInfinity, -kInfinity});
  CHECK(find_contradiction(path.graph, std::vector<double>{kInfinity, kInfinity, -kInfinity}) == 2);
  CHECK(!find_contradiction(path.graph, std::vector<double>{kInfinity, -kInfinity, -kInfinity}));
}

TEST_CASE("objective counts constraints only when violated") {
  const Graph graph(3, {{0, 1}, {1, 2}, {0, 2}});
  const std::vector<double> costs{kInfinity, -kInfinity, 2};
  CHECK(objective(graph, costs, Labels{0, 0, 1}) == 2);
  CHECK(objective(graph, costs, Labels{0, 1, 2}) == kInfinity);
  CHECK(objective(graph, costs, Labels{0, 0, 0}) == kInfinity);
}

TEST_CASE("objective loses no digit in long sums") {
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

TEST_CASE("quotient sums costs between clusters") {
  const Graph graph(4, {{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3, 0}});
  const auto [clusters, costs] = quotient(graph, std::vector<double>{1, 2, 4, 8, 16},
                                          Labels{0, 0, 1, 2}, 3);
  REQUIRE(clusters.num_nodes() == 3);
  REQUIRE(clusters.num_edges() == 3);
  double sum = 0;
  for (EdgeId e = 0; e < 3; ++e) {
    const auto [a, b] = clusters.edge(e);
    CHECK(costs[e] == (a == 0 && b == 1 ? 6 : a == 0 && b == 2 ? 16 : 8));
    sum += costs[e];
  }
  CHECK(sum == 30);
}

TEST_CASE("better regions are taken each for itself") {
  // Two triangles joined by an edge; each partition is better on one of them.
  const Graph graph(6, {{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}});
  const std::vector<double> costs{1, 1, 1, -1, -1, -1, -1};
  Labels labels{0, 1, 2, 3, 3, 3};
  const double before = objective(graph, costs, labels);
  const double gain = take_better_regions(graph, costs, labels, Labels{0, 0, 0, 1, 2, 3});
  CHECK(labels == Labels{0, 0, 0, 1, 2, 3});
  CHECK(gain == 6);
  CHECK(objective(graph, costs, labels) == before - 6);
  labels = {0, 0, 0, 1, 1, 1};
  CHECK(take_better_regions(graph, costs, labels, Labels{0, 1, 2, 3, 4, 5}) == 3);
  CHECK(labels == Labels{0, 0, 0, 1, 2, 3});
}

TEST_CASE("sets that several threads merge are those of one") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    const NodeId num_nodes = 2000;
    std::vector<Edge> edges(1800);
    for (Edge& edge : edges) {
      edge = {static_cast<NodeId>(random() % num_nodes), static_cast<NodeId>(random() % num_nodes)};
    }
    UnionFind alone(num_nodes);
    for (const auto [u, v] : edges) alone.merge(u, v);
    ConcurrentSets together(num_nodes);
    std::vector<std::thread> threads;
    for (std::size_t first = 0; first < 3; ++first) {
      threads.emplace_back([&, first] {
        for (std::size_t e = first; e < edges.size(); e += 3) together.merge(edges[e].u, edges[e].v);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(labels_of_sets(together, num_nodes) == labels_of_sets(alone, num_nodes));
  }
}

TEST_CASE("components and objectives of large graphs are those of small ones") {
  // Three paths, side by side; every tenth edge repels, and costs differ by 24 orders of magnitude.
  const NodeId length = (1 << 20) / 3 + 2;
  std::vector<Edge> edges;
  std::vector<double> costs;
  ExactSum of_cut;
  for (NodeId place = 0; place + 1 < length; ++place) {
    for (NodeId path = 0; path < 3; ++path) {
      edges.push_back({3 * place + path, 3 * (place + 1) + path});
      costs.push_back((place % 10 == 9 ? -1.0 : 1.0) * (place % 7 == 0 ? 1e-12 : place % 11 == 0 ? 1e12 : 0.1));
      if (costs.back() < 0) of_cut.add(costs.back());
    }
  }
  REQUIRE(edges.size() >= (1 << 20));
  const Graph graph(3 * length, std::move(edges));
  const Labels labels = components_of(graph, [&](EdgeId e) { return costs[e] > 0; });
  std::vector<NodeId> wrong;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    if (labels[node] != 3 * (node / 3 / 10) + node % 3) wrong.push_back(node);
  }
  CHECK(wrong.empty());
  std::vector<std::uint8_t> cut(graph.num_edges());
  CHECK(evaluate(graph, costs, labels, cut) == of_cut.value());
  bool is_right = true;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) is_right &= (cut[e] != 0) == (costs[e] < 0);
  CHECK(is_right);
  int asked = 0;
  CHECK(components_of(graph, [](EdgeId) { return true; }, [&] { return ++asked > 1; }).empty());
}

TEST_CASE("edge queue sorts like a comparison sort") {
  for (const std::size_t size : {0UL, 1UL, 100UL, 5000UL, 20000UL}) {
    CAPTURE(size);
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
        REQUIRE(item.has_value());
        CHECK(item->edge == e);
        CHECK(item->key == keys[e]);
      }
      CHECK(!queue.pop());
    }
  }
}

TEST_CASE("edge queue merges later keys") {
  const std::vector<double> keys{3, 1, 2};
  EdgeQueue queue(keys);
  queue.push(2.5, 1);
  queue.push(2, 0);
  std::vector<EdgeId> order;
  while (const auto item = queue.pop()) order.push_back(item->edge);
  CHECK(order == std::vector<EdgeId>{0, 1, 0, 2, 1});
}

TEST_CASE("indexed heap follows changing keys") {
  for (const NodeId size : {5U, 32U, 33U, 500U}) {
    CAPTURE(size);
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
      CHECK(key == keys[node]);
      CHECK(heap.was_popped(node));
      for (NodeId other = 0; other < size; ++other) {
        CHECK((!heap.contains(other) || keys[other] <= key));
      }
    }
    heap.clear();
    CHECK(!heap.was_popped(0));
    CHECK(!heap.contains(0));
  }
}
