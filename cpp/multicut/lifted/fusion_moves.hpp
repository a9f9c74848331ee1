#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A partition of a lifted problem that takes over what is better in others, on one thread. Never gets worse.
// Refers to what the problem is made of.
class LiftedFusionMoves {
 public:
  // `labels` are canonical, of connected clusters, and stay so. `noise` is the standard deviation of that on
  // costs of proposals, in units of a typical cost.
  LiftedFusionMoves(const LiftedProblem& problem, Labels labels, const KljOptions& options,
                    double noise, std::uint64_t seed);

  // Greedy contraction of costs with noise, which is a function of the seed, the index and the edge.
  // Nothing if the time is up. `contracted` is that of `gaec`.
  std::optional<Labels> propose(std::uint64_t index, Watch& watch,
                                std::vector<EdgeId>* contracted = nullptr) const;

  // Contracts what this partition and another both join, where it is connected, and improves the other by KLj
  // on what remains. Nothing if the time is up.
  std::optional<Labels> fuse(const Labels& other, Watch& watch) const;

  // The same with the proposal of this index.
  std::optional<Labels> fuse_proposal(std::uint64_t index, Watch& watch) const;

  // Takes the better regions of another partition. Returns what that gains; zero if it is rounding.
  double take(const Labels& other, Watch& watch);

  const Labels& labels() const { return labels_; }

 private:
  LiftedProblem problem_;
  Labels labels_;
  KljOptions options_;
  double noise_;
  std::uint64_t seed_;
  double typical_cost_;
};

}  // namespace multicut
