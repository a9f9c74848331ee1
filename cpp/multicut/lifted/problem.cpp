#include "multicut/lifted/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "multicut/graph/components.hpp"
#include "multicut/graph/cut_sum.hpp"
#include "multicut/graph/union_find.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename OnEdge, typename OnLifted>
double sum_of_cut(const LiftedProblem& problem, std::span<const NodeId> labels, OnEdge on_edge,
                  OnLifted on_lifted) {
  CutSum sum;
  sum.add(problem.graph, problem.costs, labels, on_edge);
  sum.add(problem.lifted, problem.lifted_costs, labels, on_lifted);
  if (sum.is_certain()) return sum.value();
  ExactSum exact;
  add_exactly(problem.graph, problem.costs, labels, exact);
  add_exactly(problem.lifted, problem.lifted_costs, labels, exact);
  return exact.value();
}

bool all_finite(std::span<const double> costs) {
  return std::ranges::all_of(costs, [](double cost) { return std::isfinite(cost); });
}

void merge_must_links(const Graph& graph, std::span<const double> costs, UnionFind& groups) {
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (costs[e] == kInfinity) groups.merge(graph.edge(e).u, graph.edge(e).v);
  }
}

// A cannot-link within a group, or an edge that is both a must-link and a cannot-link (NaN, the sum
// of the two).
std::optional<LiftedContradiction> find_within(const Graph& graph, std::span<const double> costs,
                                               UnionFind& groups) {
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    const bool is_cannot_link = costs[e] == -kInfinity && groups.find(u) == groups.find(v);
    if (is_cannot_link || std::isnan(costs[e])) return LiftedContradiction{u, v, false};
  }
  return std::nullopt;
}

}  // namespace

double evaluate(const LiftedProblem& problem, std::span<const NodeId> labels,
                std::span<std::uint8_t> cut, std::span<std::uint8_t> lifted_cut) {
  return sum_of_cut(
      problem, labels, [&](EdgeId e, bool is_cut) { cut[e] = is_cut; },
      [&](EdgeId e, bool is_cut) { lifted_cut[e] = is_cut; });
}

double objective(const LiftedProblem& problem, std::span<const NodeId> labels) {
  return sum_of_cut(problem, labels, [](EdgeId, bool) {}, [](EdgeId, bool) {});
}

std::optional<LiftedContradiction> find_contradiction(const LiftedProblem& problem) {
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  if (all_finite(costs) && all_finite(lifted_costs)) return std::nullopt;
  UnionFind groups(graph.num_nodes());
  merge_must_links(graph, costs, groups);
  merge_must_links(lifted, lifted_costs, groups);
  if (const auto found = find_within(graph, costs, groups)) return found;
  if (const auto found = find_within(lifted, lifted_costs, groups)) return found;
  const Labels reachable = components_of(graph, [&](EdgeId e) { return problem.costs[e] > -kInfinity; });
  for (EdgeId e = 0; e < lifted.num_edges(); ++e) {
    const auto [u, v] = lifted.edge(e);
    if (lifted_costs[e] == kInfinity && reachable[u] != reachable[v]) {
      return LiftedContradiction{u, v, true};
    }
  }
  return std::nullopt;
}

}  // namespace multicut
