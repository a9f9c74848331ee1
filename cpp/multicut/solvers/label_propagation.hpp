#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/random.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Label propagation for signed costs, on all levels of a contraction. In a random order, each node
// joins the cluster that attracts it most, or stands alone if all repel it; ties are resolved at random.
// After a few sweeps clusters become nodes, until none joins another. The clusters that come back are
// canonical and connected. Stopped early, it returns those of the levels that were finished.
//
// On dense graphs with few distinct costs all greedy contractions are alike, those of noisy costs as
// well. These partitions are as good there, and differ from each other.
Labels label_propagation(const Graph& graph, std::span<const double> costs,
                         const RandomStream& random, Watch& watch);

}  // namespace multicut
