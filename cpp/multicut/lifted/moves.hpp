#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/lifted/ordered_problem.hpp"
#include "multicut/lifted/torn_pieces.hpp"
#include "multicut/search/clustering.hpp"
#include "multicut/search/node_move.hpp"

namespace multicut {

// What moving a node to another cluster gains.
inline double gain_of_move(const OrderedProblem& problem, const Clustering& clusters, NodeId node,
                           NodeId to) {
  const NodeId from = clusters.label(node);
  double gain = 0;
  for (const auto [other, cost] : problem.arcs(node)) {
    const NodeId label = clusters.label(other);
    gain += label == to ? cost : label == from ? -cost : 0;
  }
  return gain;
}

// Makes moves respect connectivity: where they tear a cluster apart, its pieces become clusters, and the
// lifted edges between them are cut.
class Mender {
 public:
  Mender(const OrderedProblem& problem, Clustering& clusters, EmptyCluster empty_cluster)
      : problem_(problem),
        clusters_(clusters),
        empty_cluster_(std::move(empty_cluster)),
        torn_(problem, clusters) {}

  // The labels are those after the moves; before, all clusters were connected. Each node moved at most once,
  // to a cluster that it had a link to, or to an empty one, of which the moves use the first `num_new`.
  // Appends moves that make pieces clusters of their own, and gives these their labels. Returns what the
  // lifted edges cost that are cut so; nothing, and appends nothing, if that takes too long to find out.
  std::optional<double> mend(std::vector<NodeMove>& moves, std::size_t num_new);

  std::size_t take_work() { return torn_.take_work(); }

 private:
  bool collect_starts(NodeId cluster, std::span<const NodeMove> moves);

  const OrderedProblem& problem_;
  Clustering& clusters_;
  EmptyCluster empty_cluster_;
  TornPieces torn_;
  std::vector<NodeId> starts_;
  std::vector<NodeId> affected_;
};

}  // namespace multicut
