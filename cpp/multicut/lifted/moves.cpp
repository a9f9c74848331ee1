#include "multicut/lifted/moves.hpp"

#include <algorithm>

namespace multicut {

// Collects a node of each part that a cluster may consist of. Returns whether it may have been torn.
bool Mender::collect_starts(NodeId cluster, std::span<const NodeMove> moves) {
  starts_.clear();
  bool has_lost = false;
  for (const NodeMove& move : moves) {
    if (move.from != cluster) {
      if (clusters_.label(move.node) == cluster) starts_.push_back(move.node);
      continue;
    }
    has_lost = true;
    for (const auto [other, cost] : problem_.links(move.node)) {
      if (clusters_.label(other) == cluster) starts_.push_back(other);
    }
  }
  return has_lost && starts_.size() > 1;
}

std::optional<double> Mender::mend(std::vector<NodeMove>& moves, std::size_t num_new) {
  affected_.clear();
  for (const NodeMove& move : moves) {
    if (std::ranges::find(affected_, move.from) == affected_.end()) affected_.push_back(move.from);
  }
  const std::size_t length = moves.size();
  double cost_of_cut = 0;
  for (const NodeId cluster : affected_) {
    if (!collect_starts(cluster, {moves.data(), length})) continue;
    if (!torn_.search(cluster, starts_)) {
      undo_moves(clusters_, moves, length);
      return std::nullopt;
    }
    for (const std::vector<NodeId>& piece : torn_.pieces()) {
      const NodeId separate = empty_cluster_(num_new++);
      for (const NodeId node : piece) {
        clusters_.pretend(node, separate);
        moves.push_back({node, cluster, separate});
      }
      for (const NodeId node : piece) {
        for (const auto [other, cost] : problem_.lifted_arcs(node)) {
          if (clusters_.label(other) == cluster) cost_of_cut += cost;
        }
      }
    }
  }
  return cost_of_cut;
}

}  // namespace multicut
