#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/interaction_graph.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/lifted/problem.hpp"

namespace multicut {

// A lifted problem whose ordinary edges can be contracted. Costs of edges that become parallel add up,
// and such an edge connects if one of them did. Ids of lifted edges come after those of ordinary ones.
class LiftedContraction : public InteractionGraph<double> {
 public:
  // No lifted edge may be parallel to an ordinary one. Must not be used if `stop` became true meanwhile:
  // then it is incomplete.
  explicit LiftedContraction(const LiftedProblem& problem, const Stop& stop = kNeverStop)
      : InteractionGraph<double>(
            {{problem.graph, problem.costs}, {problem.lifted, problem.lifted_costs}}, stop),
        connects_(num_ids(), 0) {
    std::fill_n(connects_.begin(), problem.graph.num_edges(), std::uint8_t{1});
  }

  double cost(EdgeId e) const { return value(e); }

  // Whether an edge stands for an ordinary one, perhaps among others.
  bool connects(EdgeId e) const { return connects_[e] != 0; }

  // Contracts the live edge `e`, which connects. Calls on_merge(kept, absorbed, old_cost, did_connect) for
  // each pair of edges that became one, after `kept` has got the sum of their costs. Returns how many
  // edges it looked at.
  template <typename OnMerge>
  std::size_t contract(EdgeId e, const OnMerge& on_merge) {
    return InteractionGraph<double>::contract(e, [&](EdgeId kept, EdgeId absorbed) {
      const double old_cost = value(kept);
      const bool did_connect = connects(kept);
      value(kept) += value(absorbed);
      connects_[kept] |= connects_[absorbed];
      on_merge(kept, absorbed, old_cost, did_connect);
    });
  }

 private:
  std::vector<std::uint8_t> connects_;
};

}  // namespace multicut
