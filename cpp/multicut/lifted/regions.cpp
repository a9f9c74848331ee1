#include "multicut/lifted/regions.hpp"

#include <algorithm>
#include <vector>

#include "multicut/graph/union_find.hpp"

namespace multicut {

double take_better_regions(const LiftedProblem& problem, Labels& labels, const Labels& other,
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
  const auto add = [&](const Graph& graph, std::span<const double> costs) {
    for (EdgeId e = 0; e < graph.num_edges(); ++e) {
      if (e % kBetweenChecks == 0 && stop()) return false;
      const auto [u, v] = graph.edge(e);
      const bool is_cut = labels[u] != labels[v];
      if (is_cut != (other[u] != other[v])) {
        gains[regions.find(labels[u])] += is_cut ? costs[e] : -costs[e];
      }
    }
    return true;
  };
  if (!add(problem.graph, problem.costs) || !add(problem.lifted, problem.lifted_costs)) return 0;
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
