#pragma once

#include <cstdint>

#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/solvers/fusion.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Fusion moves for lifted problems (Beier et al., ECCV 2016). Edges within what both the best partition and
// a proposal keep together are contracted; KLj improves the proposal on what remains, and the best partition
// takes over the regions that came out better.
// `labels` is the start, canonical, of connected clusters; the objective never gets worse. Costs are finite.
Labels fusion(const LiftedProblem& problem, Labels labels, const FusionOptions& options,
              std::uint64_t seed, Watch& watch);

// The same from greedy_klj, on fragments of clusters, which take the place of nodes. After a few proposals,
// KLj moves single nodes, and fragments are those of a greedy contraction with noise.
Labels greedy_fusion(const LiftedProblem& problem, const FusionOptions& options, std::uint64_t seed,
                     Watch& watch);

}  // namespace multicut
