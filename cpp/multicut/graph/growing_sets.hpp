#pragma once

#include <cstdint>
#include <span>

namespace multicut {

// Joins the sets of the two ends of each edge, in the order of edges, if they have at most `most` nodes
// together. The sets belong to the caller, so that edges may come in any number of pieces: `parents` leads
// from each node to another one of its set, at last to itself, and `sizes` counts what belongs to that last
// one. Edges whose cost is not above `least_cost` are left out.
void grow_sets(std::span<std::uint32_t> parents, std::span<std::uint32_t> sizes,
               std::span<const std::int64_t> u, std::span<const std::int64_t> v,
               std::span<const double> costs, double least_cost, std::uint32_t most);

// Replaces the parent of each node by the last one.
void finish_sets(std::span<std::uint32_t> parents);

}  // namespace multicut
