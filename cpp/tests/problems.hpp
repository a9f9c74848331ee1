#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/solvers/random.hpp"

// Small random problems, and their optima by brute force.
namespace problems {

using multicut::EdgeId;
using multicut::Graph;
using multicut::Labels;
using multicut::NodeId;
using multicut::RandomStream;
using multicut::WeightedGraph;

enum class Costs { kNormal, kSmallIntegers };

// Each pair of nodes is an edge with probability percent / 100.
inline WeightedGraph random_problem(NodeId num_nodes, int percent, Costs kind,
                                    std::uint64_t seed) {
  const RandomStream random(seed, 0);
  std::uint64_t counter = 0;
  std::vector<multicut::Edge> edges;
  std::vector<double> costs;
  for (NodeId u = 0; u < num_nodes; ++u) {
    for (NodeId v = u + 1; v < num_nodes; ++v) {
      if (random.bits(counter++) % 100 >= static_cast<std::uint64_t>(percent)) continue;
      edges.push_back({u, v});
      costs.push_back(kind == Costs::kNormal
                          ? random.normal(counter++)
                          : static_cast<double>(random.bits(counter++) % 5) - 2);
    }
  }
  return {Graph(num_nodes, std::move(edges)), std::move(costs)};
}

// Calls visit(labels) for each partition, as restricted growth strings.
template <typename Visit>
void for_each_partition(NodeId num_nodes, Visit visit) {
  Labels labels(num_nodes, 0);
  const auto extend = [&](auto& self, NodeId node, NodeId used) -> void {
    if (node == num_nodes) {
      visit(labels);
      return;
    }
    for (NodeId label = 0; label <= used; ++label) {
      labels[node] = label;
      self(self, node + 1, std::max(used, label + 1));
    }
  };
  extend(extend, 0, 0);
}

inline double optimum(const WeightedGraph& problem) {
  double best = std::numeric_limits<double>::infinity();
  for_each_partition(problem.graph.num_nodes(), [&](const Labels& labels) {
    best = std::min(best, multicut::objective(problem.graph, problem.costs, labels));
  });
  return best;
}

inline bool is_canonical(const Labels& labels) {
  Labels copy = labels;
  multicut::make_canonical(copy);
  return copy == labels;
}

}  // namespace problems
