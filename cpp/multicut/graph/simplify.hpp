#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

// What a caller's list of edges becomes: a simple graph over the nodes 0 … n−1.
struct SimpleGraph {
  Graph graph;
  // Summed costs of duplicate edges; NaN for +inf and −inf, see find_contradiction. Empty if nothing
  // was dropped or merged: the caller's stand.
  std::vector<double> costs;
  // The caller's id of each node, ascending. Empty if ids are 0 … n−1.
  std::vector<std::int64_t> node_ids;
  // The edge that each input edge became, −1 for a self-loop. Empty if that is the identity.
  std::vector<std::int32_t> edge_of_input;
  std::size_t num_self_loops = 0;
  std::size_t num_duplicates = 0;
};

// Validates edges given as `endpoints` u0 v0 u1 v1 … with one cost each, and makes them simple:
// self-loops are dropped, costs of duplicates are added up at the first of them. Everything else
// keeps the caller's order and orientation. Without `num_nodes` the nodes are the ids that occur;
// with it they are 0 … num_nodes−1. There must be fewer nodes and edges than `limit`, which only tests
// lower. Throws std::invalid_argument with a message for the caller, in which `prefix` comes before
// the names of the arguments.
SimpleGraph simplify(std::span<const std::int64_t> endpoints, std::span<const double> costs,
                     std::optional<std::int64_t> num_nodes, std::uint64_t limit = kMaxId,
                     const std::string& prefix = "");

}  // namespace multicut
