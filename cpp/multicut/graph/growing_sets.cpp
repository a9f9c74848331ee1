#include "multicut/graph/growing_sets.hpp"

#include <algorithm>
#include <cstddef>

namespace multicut {
namespace {

std::uint32_t find(std::span<std::uint32_t> parents, std::uint32_t node) {
  while (parents[node] != node) {
    parents[node] = parents[parents[node]];
    node = parents[node];
  }
  return node;
}

}  // namespace

void grow_sets(std::span<std::uint32_t> parents, std::span<std::uint32_t> sizes,
               std::span<const std::int64_t> u, std::span<const std::int64_t> v,
               std::span<const double> costs, double least_cost, std::uint32_t most) {
  for (std::size_t e = 0; e < u.size(); ++e) {
    if (!(costs[e] > least_cost)) continue;
    const std::uint32_t a = find(parents, static_cast<std::uint32_t>(u[e]));
    const std::uint32_t b = find(parents, static_cast<std::uint32_t>(v[e]));
    if (a == b || std::uint64_t{sizes[a]} + sizes[b] > most) continue;
    const std::uint32_t kept = std::min(a, b);
    const std::uint32_t absorbed = std::max(a, b);
    parents[absorbed] = kept;
    sizes[kept] += sizes[absorbed];
  }
}

void finish_sets(std::span<std::uint32_t> parents) {
  // A parent is never larger than its node.
  for (std::size_t node = 0; node < parents.size(); ++node) {
    parents[node] = parents[parents[node]];
  }
}

}  // namespace multicut
