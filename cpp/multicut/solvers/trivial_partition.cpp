#include "multicut/solvers/trivial_partition.hpp"

#include <limits>

#include "multicut/graph/components.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

Labels must_link_groups(const Graph& graph, std::span<const double> costs) {
  return components_of(graph, [&](EdgeId e) { return costs[e] == kInfinity; });
}

Labels trivial_partition(const Graph& graph, std::span<const double> costs) {
  double sum = 0;
  bool has_must_links = false;
  bool has_cannot_links = false;
  for (const double cost : costs) {
    has_must_links |= cost == kInfinity;
    has_cannot_links |= cost == -kInfinity;
    sum += cost;
  }
  if (has_cannot_links) {
    return has_must_links ? must_link_groups(graph, costs) : singletons(graph.num_nodes());
  }
  // Edges between these cost at most 0.
  Labels components = components_of(graph, [&](EdgeId e) { return costs[e] > 0; });
  if (!has_must_links && !(sum < 0)) return components;
  Labels groups = has_must_links ? must_link_groups(graph, costs) : singletons(graph.num_nodes());
  const double cost_of_groups = has_must_links ? objective(graph, costs, groups) : sum;
  return objective(graph, costs, components) <= cost_of_groups ? components : groups;
}

}  // namespace multicut
