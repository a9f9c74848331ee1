#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/short_cycles.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// The defaults are those of the policy `balanced`, which were searched for.
struct DualGreedyOptions {
  // Of all nodes, how many may be joined before cycles are packed anew.
  double share = 0.227;
  // How much the cost itself counts beside what the packing leaves of it.
  double cost_weight = 0.108;
  ShortCyclePacking::Sweeps sweeps{2, 2};
  // Threads that look for cycles in large graphs. The result does not depend on it.
  int num_threads = 1;
};

struct DualGreedyResult {
  Labels labels;
  // No partition costs less; −inf if the time was up before the first packing.
  double lower_bound;
};

// Greedy contraction like `gaec`, but the edge that goes first is not the one of the highest cost: it is
// the one that has most of it left after a packing of conflicted triangles and squares, a quick solution
// of the dual. Reduced costs add up as costs do when edges become parallel, so that many
// edges can be contracted, strictly in order, before the contracted graph is packed anew. Where the time
// runs out, it contracts the rest by cost alone; stopped before the end of that, it returns the clusters
// contracted so far.
DualGreedyResult dual_greedy(const Graph& graph, std::span<const double> costs,
                             const DualGreedyOptions& options, Watch& watch);

}  // namespace multicut
