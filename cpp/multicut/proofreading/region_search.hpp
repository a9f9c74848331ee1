#pragma once

#include <optional>
#include <vector>

#include "multicut/graph/partition.hpp"
#include "multicut/proofreading/region.hpp"

namespace multicut {

// Looks for a partition of a region, by local search from each of several starts and, if it is `fresh`,
// from a greedy one. Starts may violate constraints. Returns the best one that meets them all, the first
// of the starts where nothing is better; nothing if the constraints contradict each other.
std::optional<Labels> search_region(const Region& region, const std::vector<Labels>& starts,
                                    bool fresh);

}  // namespace multicut
