#include "multicut/exact/reduction.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "multicut/exact/sure_joins.hpp"

namespace multicut {
namespace {

// Leaves out the edges between different components of the attractive edges; `offset` grows by what
// they cost.
WeightedGraph without_sure_cuts(const WeightedGraph& problem, double& offset) {
  std::vector<std::uint8_t> is_not_attractive(problem.costs.size());
  for (EdgeId e = 0; e < problem.costs.size(); ++e) is_not_attractive[e] = problem.costs[e] <= 0;
  const Labels component = connected_components(problem.graph, is_not_attractive);
  std::vector<Edge> edges;
  std::vector<double> costs;
  for (EdgeId e = 0; e < problem.costs.size(); ++e) {
    const auto [u, v] = problem.graph.edge(e);
    if (component[u] != component[v]) {
      offset += problem.costs[e];
      continue;
    }
    edges.push_back({u, v});
    costs.push_back(problem.costs[e]);
  }
  return {Graph(problem.graph.num_nodes(), std::move(edges)), std::move(costs)};
}

}  // namespace

Labels Reduction::lift(std::span<const NodeId> labels) const {
  Labels lifted(group_of.size());
  for (NodeId node = 0; node < lifted.size(); ++node) lifted[node] = labels[group_of[node]];
  return lifted;
}

Reduction reduce(const Graph& graph, std::span<const double> costs, Monitor& monitor) {
  // Until there is a partition, that into single nodes is the best one.
  const double objective = std::accumulate(costs.begin(), costs.end(), 0.0);
  const auto should_stop = [&] { return monitor.should_stop(objective); };
  Reduction result{singletons(graph.num_nodes()), {}, 0};
  result.problem = without_sure_cuts({graph, {costs.begin(), costs.end()}}, result.offset);
  // Contracts what a criterion joins; false if that is nothing.
  const auto apply = [&](const auto& criterion) {
    if (should_stop()) return false;
    const Labels joined = criterion(result.problem.graph, result.problem.costs, should_stop);
    const NodeId num_groups = joined.empty() ? 0 : *std::ranges::max_element(joined) + 1;
    if (num_groups == result.problem.graph.num_nodes()) return false;
    for (NodeId& group : result.group_of) group = joined[group];
    result.problem = without_sure_cuts(
        quotient(result.problem.graph, result.problem.costs, joined, num_groups), result.offset);
    return true;
  };
  // The dearer criterion comes when the cheap ones find nothing more.
  while (apply(join_at_nodes) || apply(join_across_cuts)) {
  }
  return result;
}

}  // namespace multicut
