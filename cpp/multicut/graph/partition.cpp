#include "multicut/graph/partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "multicut/graph/sums.hpp"
#include "multicut/graph/union_find.hpp"

namespace multicut {

Labels singletons(NodeId num_nodes) {
  Labels labels(num_nodes);
  std::iota(labels.begin(), labels.end(), NodeId{0});
  return labels;
}

NodeId make_canonical(Labels& labels) {
  if (labels.empty()) return 0;
  const NodeId largest = *std::ranges::max_element(labels);
  std::vector<NodeId> renumbered(static_cast<std::size_t>(largest) + 1, kNoNode);
  NodeId count = 0;
  for (NodeId& label : labels) {
    NodeId& entry = renumbered[label];
    if (entry == kNoNode) entry = count++;
    label = entry;
  }
  return count;
}

Labels connected_components(const Graph& graph, std::span<const std::uint8_t> cut) {
  UnionFind sets(graph.num_nodes());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (!cut[e]) sets.merge(graph.edge(e).u, graph.edge(e).v);
  }
  Labels labels(graph.num_nodes());
  for (NodeId node = 0; node < graph.num_nodes(); ++node) labels[node] = sets.find(node);
  make_canonical(labels);
  return labels;
}

Labels split_disconnected(const Graph& graph, const Labels& labels) {
  return intersect(graph, labels, labels);
}

Labels intersect(const Graph& graph, const Labels& a, const Labels& b) {
  std::vector<std::uint8_t> cut(graph.num_edges());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    cut[e] = a[u] != a[v] || b[u] != b[v];
  }
  return connected_components(graph, cut);
}

namespace {

// A sum in doubled precision is rounded as the exact one would be if no more than this share of it is
// in doubt; ties, which only sums without any doubt can meet, apart.
constexpr double kNoDoubt = 0x1p-80;

template <typename OnEdge>
double sum_of_cut(const Graph& graph, std::span<const double> costs,
                  std::span<const NodeId> labels, OnEdge on_edge) {
  Sum sum;
  bool violated = false;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const bool is_cut = labels[graph.edge(e).u] != labels[graph.edge(e).v];
    on_edge(e, is_cut);
    if (std::isinf(costs[e])) {
      violated |= is_cut == (costs[e] > 0);
    } else if (is_cut) {
      sum.add(costs[e]);
    }
  }
  if (violated) return std::numeric_limits<double>::infinity();
  if (sum.doubt() <= kNoDoubt * std::abs(sum.value())) return sum.value();
  // Costs of three sizes or more that cancel out.
  ExactSum exact;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const bool is_cut = labels[graph.edge(e).u] != labels[graph.edge(e).v];
    if (is_cut && !std::isinf(costs[e])) exact.add(costs[e]);
  }
  return exact.value();
}

}  // namespace

double objective(const Graph& graph, std::span<const double> costs,
                 std::span<const NodeId> labels) {
  return sum_of_cut(graph, costs, labels, [](EdgeId, bool) {});
}

double evaluate(const Graph& graph, std::span<const double> costs, std::span<const NodeId> labels,
                std::span<std::uint8_t> cut) {
  return sum_of_cut(graph, costs, labels, [&](EdgeId e, bool is_cut) { cut[e] = is_cut; });
}

double take_better_regions(const Graph& graph, std::span<const double> costs, Labels& labels,
                           const Labels& other) {
  if (labels.empty()) return 0;
  const NodeId num_labels = *std::ranges::max_element(labels) + 1;
  const NodeId num_others = *std::ranges::max_element(other) + 1;
  UnionFind regions(num_labels + num_others);
  for (NodeId node = 0; node < labels.size(); ++node) {
    regions.merge(labels[node], num_labels + other[node]);
  }
  std::vector<double> gains(num_labels + num_others, 0);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    const bool is_cut = labels[u] != labels[v];
    if (is_cut != (other[u] != other[v])) {
      gains[regions.find(labels[u])] += is_cut ? costs[e] : -costs[e];
    }
  }
  double total = 0;
  for (const double gain : gains) total += std::max(gain, 0.0);
  if (total == 0) return 0;
  for (NodeId node = 0; node < labels.size(); ++node) {
    if (gains[regions.find(labels[node])] > 0) labels[node] = num_labels + other[node];
  }
  make_canonical(labels);
  return total;
}

}  // namespace multicut
