#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// What gaec joins, for sure, while it finds edges that cost `threshold` or more: clusters of which each
// is part of a cluster of gaec's, canonical.
//
// No two of the `groups`, 0 … num_groups−1, may attract each other by `threshold` or more, the attractive
// costs between them taken together. Then gaec joins nothing across groups before that, whatever it does
// within them; and what it does in one of them does not depend on the others. So threads work on groups
// side by side. In a group it ends where two edges cost the same, as far as rounding can tell: sums may
// be added up in another order than gaec's. Costs are finite.
Labels gaec_prefix(const Graph& graph, std::span<const double> costs, const Labels& groups,
                   NodeId num_groups, double threshold, int num_threads);

}  // namespace multicut
