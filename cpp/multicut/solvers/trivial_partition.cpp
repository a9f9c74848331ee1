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
  if (!has_must_links && (has_cannot_links || sum < 0)) return singletons(graph.num_nodes());
  if (has_cannot_links) return must_link_groups(graph, costs);

  // Edges between these cost at most 0.
  Labels components = components_of(graph, [&](EdgeId e) { return costs[e] > 0; });
  if (!has_must_links) return components;
  Labels groups = must_link_groups(graph, costs);
  const bool join = objective(graph, costs, components) <= objective(graph, costs, groups);
  return join ? components : groups;
}

}  // namespace multicut
