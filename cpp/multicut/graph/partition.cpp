#include "multicut/graph/partition.hpp"

#include <algorithm>
#include <numeric>

#include "multicut/graph/components.hpp"
#include "multicut/graph/costly_edges.hpp"
#include "multicut/graph/cut_sum.hpp"
#include "multicut/graph/union_find.hpp"
#include "multicut/parallel/parallel_for.hpp"

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
  return components_of(graph, [&](EdgeId e) { return !cut[e]; });
}

Labels split_disconnected(const Graph& graph, const Labels& labels) {
  return intersect(graph, labels, labels);
}

Labels intersect(const Graph& graph, const Labels& a, const Labels& b, const Stop& stop) {
  const auto joins = [&](EdgeId e) {
    const auto [u, v] = graph.edge(e);
    return a[u] == a[v] && b[u] == b[v];
  };
  return components_of(graph, joins, stop);
}

namespace {

// Sums of ranges are rounded as the sum of all is: correctly, and by threads or not.
template <typename OnEdge>
double sum_of_cut(const Graph& graph, std::span<const double> costs,
                  std::span<const NodeId> labels, OnEdge on_edge) {
  constexpr std::size_t kRange = 1 << 17;
  CutSum sum;
  if (graph.num_edges() <= kRange) {
    sum.add(graph, costs, labels, on_edge);
  } else {
    std::vector<CutSum> parts((graph.num_edges() + kRange - 1) / kRange);
    for_ranges(graph.num_edges(), kRange, [&](std::size_t begin, std::size_t end) {
      parts[begin / kRange].add(graph, costs, labels, on_edge, static_cast<EdgeId>(begin),
                                static_cast<EdgeId>(end));
    });
    for (const CutSum& part : parts) sum += part;
  }
  if (sum.is_certain()) return sum.value();
  ExactSum exact;
  add_exactly(graph, costs, labels, exact);
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

double take_better_regions(std::span<const CostlyEdges> edges, Labels& labels, const Labels& other,
                           const Stop& stop) {
  constexpr std::uint32_t kBetweenChecks = 1 << 15;  // nodes or edges
  if (labels.empty()) return 0;
  const NodeId num_labels = *std::ranges::max_element(labels) + 1;
  const NodeId num_others = *std::ranges::max_element(other) + 1;
  UnionFind regions(num_labels + num_others);
  for (NodeId node = 0; node < labels.size(); ++node) {
    if (node % kBetweenChecks == 0 && stop()) return 0;
    regions.merge(labels[node], num_labels + other[node]);
  }
  std::vector<double> gains(num_labels + num_others, 0);
  for (const auto& [graph, costs] : edges) {
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      if (e % kBetweenChecks == 0 && stop()) return 0;
      const auto [u, v] = graph.edge(e);
      const bool is_cut = labels[u] != labels[v];
      if (is_cut != (other[u] != other[v])) {
        gains[regions.find(labels[u])] += is_cut ? costs[e] : -costs[e];
      }
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

double take_better_regions(const Graph& graph, std::span<const double> costs, Labels& labels,
                           const Labels& other, const Stop& stop) {
  const CostlyEdges edges{graph, costs};
  return take_better_regions({&edges, 1}, labels, other, stop);
}

}  // namespace multicut
