#pragma once

#include <optional>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A cannot-link edge (cost −inf) whose ends are joined by must-link edges (cost +inf), if any; or an
// edge that is both (NaN, the sum of the two).
std::optional<EdgeId> find_contradiction(const Graph& graph, std::span<const double> costs);

// A problem as solvers see it: finite costs of moderate size and no constraints. Must-links are
// contracted, cannot-links cost more than all other costs together, and costs that would over- or
// underflow in sums are scaled by a power of two. Refers to its arguments, which must outlive it.
class Instance {
 public:
  // The constraints must not contradict each other.
  Instance(const Graph& graph, std::span<const double> costs, const Stop& stop = kNeverStop);

  // False if it was stopped before it was made; it must not be used then.
  bool is_complete() const { return is_complete_; }

  const Graph& graph() const { return contracted_ ? contracted_->graph : original_; }
  std::span<const double> costs() const { return costs_; }

  // Makes the watch speak in the caller's terms.
  void attach(Watch& watch) const { watch.set_unit(unit_, offset_); }

  // The same for a run that tells the watch of a bound with its sign changed.
  void attach_to_bound(Watch& watch) const { watch.set_unit(unit_, -offset_); }
  double in_callers_terms(double objective) const { return (objective + offset_) * unit_; }

  // A lower bound in the caller's terms, lowered by what rounding may have changed in the costs.
  double bound_in_callers_terms(double bound) const;

  // From labels of the caller's nodes to those of graph() and back. Lowered labels are
  // canonical, their clusters connected, and they meet the constraints: a must-linked group follows
  // its first node, and a cluster that holds both ends of a cannot-link is dissolved. Where
  // `is_valid`, labels are known to do so already.
  Labels lower(std::span<const NodeId> labels, bool is_valid = false) const;
  Labels lift(Labels labels) const;

 private:
  bool replace_constraints(std::span<const double> costs, const Stop& stop);

  const Graph& original_;
  std::optional<WeightedGraph> contracted_;
  Labels group_of_;                // node of graph() of each original one, if contracted
  std::vector<double> own_costs_;  // if they differ from the caller's
  std::span<const double> costs_;
  std::vector<Edge> cannot_links_;  // between nodes of graph()
  double unit_ = 1;
  double offset_ = 0;
  double rounding_ = 0;  // in the caller's terms
  bool is_complete_ = false;
};

}  // namespace multicut
