#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/proposals.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A partition that takes over what is better in others, on one thread. Never gets worse. The graph, its
// costs and the options must outlive it.
class FusionMoves {
 public:
  // `labels` are canonical and stay so; `noise` and `seed` are those of the proposals.
  FusionMoves(const Graph& graph, std::span<const double> costs, Labels labels,
              const KljOptions& options, double noise, std::uint64_t seed);

  // Contracts what this partition and another both join, and improves the other by KLj on what
  // remains. Nothing if the time is up.
  std::optional<Labels> fuse(const Labels& other, Watch& watch) const;

  // The same with the proposal of this index.
  std::optional<Labels> fuse_proposal(std::uint64_t index, Watch& watch) const;

  // Takes the better regions of another partition. Returns what that gains; zero if it is rounding.
  double take(const Labels& other, Watch& watch);

  // Fuses with proposals `first` … `first` + count − 1, one by one. Returns what that gains.
  double run(std::uint64_t first, int count, Watch& watch);

  // Fuses with another partition. Returns what that gains.
  double recombine(const Labels& other, Watch& watch);

  const Labels& labels() const { return labels_; }

  // The partition to go on with. Returns the one before.
  Labels exchange(Labels labels) { return std::exchange(labels_, std::move(labels)); }

  const Proposals& proposals() const { return proposals_; }

 private:
  const Graph& graph_;
  std::span<const double> costs_;
  Labels labels_;
  const KljOptions& options_;
  Proposals proposals_;
};

}  // namespace multicut
