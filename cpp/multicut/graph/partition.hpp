#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

using Labels = std::vector<NodeId>;

// Each node in a cluster of its own.
Labels singletons(NodeId num_nodes);

// Renumbers labels to 0 … k−1 in order of first appearance; returns k.
NodeId make_canonical(Labels& labels);

// Components of the graph that consists of the edges whose flag in `cut` is zero; canonical.
Labels connected_components(const Graph& graph, std::span<const std::uint8_t> cut);

// Splits clusters that are not connected; canonical.
Labels split_disconnected(const Graph& graph, const Labels& labels);

// The connected parts of what two clusterings both keep together; canonical. Empty if stopped.
Labels intersect(const Graph& graph, const Labels& a, const Labels& b,
                 const Stop& stop = kNeverStop);

// Sum of the costs of cut edges. Infinite costs are constraints: they add nothing while met, and
// a violated one makes the objective +inf.
double objective(const Graph& graph, std::span<const double> costs,
                 std::span<const NodeId> labels);

// The same, and sets cut[e] for each edge.
double evaluate(const Graph& graph, std::span<const double> costs, std::span<const NodeId> labels,
                std::span<std::uint8_t> cut);

// Takes from a second partition what is better in it. Where clusters of the two overlap they form
// regions, closed under both; each region takes the cheaper of its two partitions. Both are
// canonical, `labels` stays so. Returns by how much the objective went down. Takes nothing if stopped.
double take_better_regions(const Graph& graph, std::span<const double> costs, Labels& labels,
                           const Labels& other, const Stop& stop = kNeverStop);

}  // namespace multicut
