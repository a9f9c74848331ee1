#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/search/klj_options.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Kernighan–Lin with joins (Keuper et al., ICCV 2015), and chains. First, from each node, looks for a
// chain of moves of single nodes through any clusters (see NodeChains). Then for each two adjacent
// clusters, looks for the best of: a sequence of moves of single nodes between them, joining them,
// leaving them; then for each cluster, for a sequence of moves that splits it. Repeats all of it where
// something changed until nothing improves.
// `labels` is the start, canonical, of connected clusters; so is what comes back, and its objective
// is never worse. Costs are finite.
Labels klj(const Graph& graph, std::span<const double> costs, const Labels& labels,
           const KljOptions& options, Watch& watch);

}  // namespace multicut
