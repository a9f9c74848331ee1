#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "multicut/graph/costly_edges.hpp"
#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// A lifted multicut problem: clusters are connected in `graph`, and edges of either graph, over the
// same nodes, cost what they cost where their ends lie in different clusters. Refers to its parts,
// which must outlive it.
struct LiftedProblem {
  const Graph& graph;
  std::span<const double> costs;
  const Graph& lifted;
  std::span<const double> lifted_costs;

  // Ordinary edges, then lifted ones.
  std::array<CostlyEdges, 2> edges() const {
    return {CostlyEdges{graph, costs}, CostlyEdges{lifted, lifted_costs}};
  }
};

// The objective of a partition into connected clusters, and which edges it cuts. Infinite costs are
// constraints: they do not count, and the objective is infinite if one is violated.
double evaluate(const LiftedProblem& problem, std::span<const NodeId> labels,
                std::span<std::uint8_t> cut, std::span<std::uint8_t> lifted_cut);
double objective(const LiftedProblem& problem, std::span<const NodeId> labels);

// Why no partition can meet all constraints.
struct LiftedContradiction {
  NodeId u;
  NodeId v;
  // Whether u and v are must-linked by a lifted edge, and no path of the graph joins them without
  // cannot-links. Otherwise they are cannot-linked, and must-links join them.
  bool is_apart;
};

// A contradiction that takes linear time to find, if there is one. That there is none does not mean
// that a partition exists: to connect several must-links at once is as hard as disjoint paths.
std::optional<LiftedContradiction> find_contradiction(const LiftedProblem& problem);

}  // namespace multicut
