#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace multicut {

// A largest matching of a bipartite graph, by Hopcroft and Karp. `edges` holds l0 r0 l1 r1 …, the
// preferred ones first: they are taken in this order while both ends are free, and only then
// exchanged where that makes the matching larger. Returns the partner of each left node, or -1.
std::vector<std::int64_t> match_bipartite(std::size_t num_left, std::size_t num_right,
                                          std::span<const std::int64_t> edges);

}  // namespace multicut
