#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>

#include "input.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/graph/simplify.hpp"
#include "multicut/solvers/instance.hpp"
#include "problems.hpp"

namespace fuzzing {

using namespace multicut;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Up to `most_nodes` nodes with edges of any cost; nothing if the caller would be told of an error.
inline std::optional<WeightedGraph> take_graph(Input& input, std::uint32_t num_nodes,
                                               std::size_t most_edges) {
  const StatedEdges stated = StatedEdges::take(input, num_nodes, most_edges);
  SimpleGraph simple;
  try {
    simple = simplify(stated.endpoints, stated.costs, num_nodes);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  std::vector<double> costs = simple.edge_of_input.empty() ? stated.costs : simple.costs;
  return WeightedGraph{std::move(simple.graph), std::move(costs)};
}

// What the objective of a partition may be wrong by: sums of doubles, in any order.
inline double rounding(std::span<const double> costs) {
  long double sum = 0;
  for (const double cost : costs) {
    if (std::isfinite(cost)) sum += std::fabs(static_cast<long double>(cost));
  }
  return static_cast<double>(std::min<long double>(sum * 1e-13L, 1e300L)) + 1e-320;
}

// The sum of the costs of cut edges; infinite where a constraint is violated. Long doubles reach
// further than doubles do, so that nothing overflows.
inline long double exact_objective(const Graph& graph, std::span<const double> costs,
                                   std::span<const NodeId> labels) {
  long double sum = 0;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const bool is_cut = labels[graph.edge(e).u] != labels[graph.edge(e).v];
    if (std::isinf(costs[e])) {
      if (is_cut == (costs[e] > 0)) return std::numeric_limits<long double>::infinity();
    } else if (is_cut) {
      sum += costs[e];
    }
  }
  return sum;
}

inline bool is_connected(const Graph& graph, const Labels& labels) {
  Labels copy = labels;
  make_canonical(copy);
  return split_disconnected(graph, copy) == copy;
}

}  // namespace fuzzing
