#include "multicut/exact/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "multicut/exact/sure_joins.hpp"
#include "multicut/graph/components.hpp"
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
// they cost. If it is stopped, all stays as it was.
PreciseProblem without_sure_cuts(PreciseProblem problem, Sum& offset, const Stop& stop) {
  const Graph& graph = problem.rounded.graph;
  const std::vector<double>& costs = problem.rounded.costs;
  const Labels component = components_of(graph, [&](EdgeId e) { return costs[e] > 0; }, stop);
  if (stop()) return problem;
  std::vector<Edge> edges;
  PreciseProblem left;
  Sum total = offset;
  WorkMeter work;
  for (EdgeId e = 0; e < costs.size(); ++e) {
    if (work.is_due(1) && stop()) return problem;
    const auto [u, v] = graph.edge(e);
    if (component[u] != component[v]) {
      total.add(costs[e]);
      total.add(problem.residuals[e]);
      continue;
    }
    edges.push_back({u, v});
    left.rounded.costs.push_back(costs[e]);
    left.residuals.push_back(problem.residuals[e]);
  }
  left.rounded.graph = Graph(graph.num_nodes(), std::move(edges), stop);
  if (stop()) return problem;
  offset = total;
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
  const Stop should_stop = [&] { return watch.should_stop(objective); };
  // At the time limit, what was found is still made use of. Whoever stops it otherwise does not want
  // to wait for that.
  const Stop is_given_up = [&] {
    return should_stop() && watch.reason() != StopReason::kTimeLimit;
  };
  Reduction result;
  result.group_of = singletons(graph.num_nodes());
  Sum offset;
  double error = 0;
  PreciseProblem problem = without_sure_cuts(
      {{graph, {costs.begin(), costs.end()}}, std::vector<double>(costs.size(), 0)}, offset,
      is_given_up);
  // Contracts what a criterion joins; false if that is nothing.
  const auto apply = [&](const auto& criterion) {
    if (should_stop()) return false;
    const auto& [current, current_costs] = problem.rounded;
    const Labels joined = criterion(current, current_costs);
    const NodeId num_groups = joined.empty() ? 0 : *std::ranges::max_element(joined) + 1;
    if (num_groups == current.num_nodes()) return false;
    WeightedGraph smaller = quotient(current, current_costs, joined, num_groups,
                                     problem.residuals, error, is_given_up);
    if (is_given_up()) return false;
    for (NodeId& group : result.group_of) group = joined[group];
    problem.rounded = std::move(smaller);
    problem = without_sure_cuts(std::move(problem), offset, is_given_up);
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
