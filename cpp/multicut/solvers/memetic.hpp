#pragma once

#include <cstdint>
#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

struct MemeticOptions {
  int max_rounds = 1000;
  // Ends after this many rounds in a row that did not help.
  int patience = 6;
  // Standard deviation of the noise on costs that are contracted greedily, in units of a typical cost.
  double noise = 0.5;
  // Threads that work on populations. The result does not depend on it.
  int num_threads = 1;
  KljOptions klj;
};

// A memetic search, for those who have time. Each round lets several populations evolve from new
// partitions (proposals.hpp), improved by fusion moves. Two parents are recombined on their common
// refinement, and the child takes the place of the most similar partition that is not better. The best
// of each population is recombined with the best partition so far, which never gets worse. Populations
// grow when a round did not help. On large graphs each block of whole clusters has a population of its
// own, after rounds of fusion moves alone.
// `labels` is the start, canonical. Costs are finite.
Labels memetic(const Graph& graph, std::span<const double> costs, Labels labels,
               const MemeticOptions& options, std::uint64_t seed, Watch& watch);

}  // namespace multicut
