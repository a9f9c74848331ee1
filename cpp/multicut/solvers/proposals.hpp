#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Partitions that are good and differ from each other. On sparse graphs they are greedy contractions of
// costs with noise, every other one guided by a dual; on dense graphs most come from label propagation.
// The graph and its costs must outlive it.
class Proposals {
 public:
  // `noise` is the standard deviation of that on costs, in units of a typical cost.
  Proposals(const Graph& graph, std::span<const double> costs, double noise, std::uint64_t seed);

  // The one of this index, canonical, of connected clusters. Nothing if the time is up.
  std::optional<Labels> make(std::uint64_t index, Watch& watch) const;

  double typical_cost() const { return typical_cost_; }

 private:
  const Graph& graph_;
  std::span<const double> costs_;
  double noise_;
  std::uint64_t seed_;
  double typical_cost_;
  bool is_dense_;
};

}  // namespace multicut
