#include "multicut/solvers/trivial_partition.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "multicut/graph/components.hpp"
#include "multicut/parallel/parallel_for.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What a range of costs is like.
struct Scan {
  double sum = 0;
  double smallest = 0;
  double largest = 0;
};

Scan scan(std::span<const double> costs) {
  Scan result;
  for (const double cost : costs) {
    result.sum += cost;
    result.smallest = std::min(result.smallest, cost);
    result.largest = std::max(result.largest, cost);
  }
  return result;
}

}  // namespace

Labels must_link_groups(const Graph& graph, std::span<const double> costs) {
  return components_of(graph, [&](EdgeId e) { return costs[e] == kInfinity; });
}

Labels trivial_partition(const Graph& graph, std::span<const double> costs) {
  std::vector<std::uint8_t> cut(graph.num_edges());
  return evaluated_trivial_partition(graph, costs, cut).labels;
}

Evaluated evaluated_trivial_partition(const Graph& graph, std::span<const double> costs,
                                      std::span<std::uint8_t> cut) {
  double sum = 0;
  bool has_must_links = false;
  bool has_cannot_links = false;
  constexpr std::size_t kRange = 1 << 17;
  std::vector<Scan> scans((costs.size() + kRange - 1) / kRange);
  for_ranges(costs.size(), kRange, [&](std::size_t begin, std::size_t end) {
    scans[begin / kRange] = scan(costs.subspan(begin, end - begin));
  });
  for (const Scan& part : scans) {
    has_must_links |= part.largest == kInfinity;
    has_cannot_links |= part.smallest == -kInfinity;
    sum += part.sum;
  }
  const auto evaluated = [&](Labels labels) -> Evaluated {
    const double value = evaluate(graph, costs, labels, cut);
    return {std::move(labels), value};
  };
  const auto groups = [&] {
    return has_must_links ? must_link_groups(graph, costs) : singletons(graph.num_nodes());
  };
  if (has_cannot_links) return evaluated(groups());
  // Edges between these cost at most 0.
  Evaluated components = evaluated(components_of(graph, [&](EdgeId e) { return costs[e] > 0; }));
  if (!has_must_links && !(sum < components.objective)) return components;
  const double cost_of_groups = has_must_links ? objective(graph, costs, groups()) : sum;
  return components.objective <= cost_of_groups ? components : evaluated(groups());
}

}  // namespace multicut
