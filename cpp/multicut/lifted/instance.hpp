#pragma once

#include <optional>
#include <span>
#include <vector>

#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/lifted/quotient.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A lifted problem as its solvers see it: finite costs of moderate size, no constraints, and no lifted
// edge parallel to an ordinary one, to which its cost is added. Ordinary must-links are contracted.
// Lifted must-links and all cannot-links become penalties larger than all other costs together; costs
// that would over- or underflow in sums are scaled by a power of two. Refers to what the problem is made of.
class LiftedInstance {
 public:
  // The constraints must not contradict each other.
  explicit LiftedInstance(const LiftedProblem& problem, const Stop& stop = kNeverStop);

  // False if it was stopped before it was made; it must not be used then.
  bool is_complete() const { return is_complete_; }

  // Whether its graphs are not the caller's.
  bool is_contracted() const { return own_.has_value(); }

  LiftedProblem problem() const;

  // Pairs of nodes of problem() that must be in the same cluster, which must be connected.
  std::span<const Edge> must_links() const { return must_links_; }

  // Makes the watch speak in the caller's terms.
  void attach(Watch& watch) const { watch.set_unit(unit_, offset_); }

  // From labels of the caller's nodes to those of problem() and back. Lowered labels are canonical and
  // their clusters connected. A must-linked group follows its first node; a cluster that holds both ends
  // of a cannot-link is dissolved, unless a lifted must-link holds it together.
  Labels lower(std::span<const NodeId> labels) const;
  Labels lift(Labels labels) const;

 private:
  bool replace_constraints(const Stop& stop);

  LiftedProblem original_;
  std::optional<OwnLiftedProblem> own_;  // if constraints or parallel edges changed the graphs
  std::vector<double> costs_;            // if they differ from the caller's, and so below
  std::vector<double> lifted_costs_;
  bool has_own_costs_ = false;
  Labels group_of_;  // node of problem() of each original one, if there are ordinary must-links
  std::vector<Edge> cannot_links_;  // between nodes of problem(), as are must_links_
  std::vector<Edge> must_links_;
  double unit_ = 1;
  double offset_ = 0;
  bool is_complete_ = false;
};

}  // namespace multicut
