#pragma once

#include <cstdint>
#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

struct FusionOptions {
  int max_proposals = 1000;
  // Ends after this many proposals in a row that did not help.
  int patience = 20;
  // Standard deviation of the noise on costs that are contracted greedily, in units of a typical cost.
  double noise = 0.5;
  // Threads that work on proposals. The result does not depend on it.
  int num_threads = 1;
  KljOptions klj;
};

// Fusion moves (Beier et al., CVPR 2015) with proposals of several kinds (proposals.hpp). Edges that
// neither the best partition nor the proposal cuts are contracted; KLj improves the proposal on what
// remains, and the best partition takes over the regions that came out better. The first proposal, on
// graphs that are not large, is what KLj makes of single nodes. Large graphs are divided into blocks of
// whole clusters again and again, each of which gets a few proposals of its own.
// `labels` is the start, canonical; the objective never gets worse. Costs are finite.
Labels fusion(const Graph& graph, std::span<const double> costs, Labels labels,
              const FusionOptions& options, std::uint64_t seed, Watch& watch);

}  // namespace multicut
