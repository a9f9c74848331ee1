#include "multicut/exact/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "multicut/exact/sure_joins.hpp"
#include "multicut/graph/sums.hpp"

namespace multicut {
namespace {

// An error bound is a rounded sum, too.
constexpr double kOfThisSum = 1.001;

// A problem in twice the precision of a double: an edge costs its cost plus its residual.
struct PreciseProblem {
  WeightedGraph rounded;
  std::vector<double> residuals;
};

// Leaves out the edges between different components of the attractive edges; `offset` grows by what
// they cost.
PreciseProblem without_sure_cuts(PreciseProblem problem, Sum& offset) {
  const auto& [graph, costs] = problem.rounded;
  std::vector<std::uint8_t> is_not_attractive(costs.size());
  for (EdgeId e = 0; e < costs.size(); ++e) is_not_attractive[e] = costs[e] <= 0;
  const Labels component = connected_components(graph, is_not_attractive);
  std::vector<Edge> edges;
  PreciseProblem left;
  for (EdgeId e = 0; e < costs.size(); ++e) {
    const auto [u, v] = graph.edge(e);
    if (component[u] != component[v]) {
      offset.add(costs[e]);
      offset.add(problem.residuals[e]);
      continue;
    }
    edges.push_back({u, v});
    left.rounded.costs.push_back(costs[e]);
    left.residuals.push_back(problem.residuals[e]);
  }
  left.rounded.graph = Graph(graph.num_nodes(), std::move(edges));
  return left;
}

}  // namespace

Labels Reduction::lift(std::span<const NodeId> labels) const {
  Labels lifted(group_of.size());
  for (NodeId node = 0; node < lifted.size(); ++node) lifted[node] = labels[group_of[node]];
  return lifted;
}

Reduction reduce(const Graph& graph, std::span<const double> costs, Watch& watch) {
  // Until there is a partition, that into single nodes is the best one.
  const double objective = std::accumulate(costs.begin(), costs.end(), 0.0);
  const auto should_stop = [&] { return watch.should_stop(objective); };
  Reduction result;
  result.group_of = singletons(graph.num_nodes());
  Sum offset;
  double error = 0;
  PreciseProblem problem = without_sure_cuts(
      {{graph, {costs.begin(), costs.end()}}, std::vector<double>(costs.size(), 0)}, offset);
  // Contracts what a criterion joins; false if that is nothing.
  const auto apply = [&](const auto& criterion) {
    if (should_stop()) return false;
    const auto& [current, current_costs] = problem.rounded;
    const Labels joined = criterion(current, current_costs);
    const NodeId num_groups = joined.empty() ? 0 : *std::ranges::max_element(joined) + 1;
    if (num_groups == current.num_nodes()) return false;
    for (NodeId& group : result.group_of) group = joined[group];
    problem.rounded =
        quotient(current, current_costs, joined, num_groups, problem.residuals, error);
    problem = without_sure_cuts(std::move(problem), offset);
    return true;
  };
  double* const error_of_joins = sums_are_exact(costs) ? nullptr : &error;
  const auto at_nodes = [&](const Graph& current, std::span<const double> current_costs) {
    return join_at_nodes(current, current_costs, should_stop, error_of_joins);
  };
  const auto across_cuts = [&](const Graph& current, std::span<const double> current_costs) {
    return join_across_cuts(current, current_costs, should_stop);
  };
  // The dearer criterion comes when the cheap ones find nothing more.
  while (apply(at_nodes) || apply(across_cuts)) {
  }
  for (const double residual : problem.residuals) error += std::abs(residual);
  result.problem = std::move(problem.rounded);
  result.offset = offset.value();
  result.error = kOfThisSum * (error + offset.error());
  return result;
}

}  // namespace multicut
