#include "multicut/search/cluster_search.hpp"

#include <algorithm>
#include <utility>

namespace multicut {
namespace {

// What gains less than this times a typical cost is rounding.
constexpr double kRounding = 1e-9;

// A sequence of moves may lose more where nodes have more neighbours than this on the other side.
constexpr double kFewNeighbours = 0.8;

// In graphs of a larger mean degree more hangs on each node, and a chain may lose more, up to so many
// times as much.
constexpr double kSparse = 8;
constexpr double kMostScale = 3;

}  // namespace

ClusterSearch::ClusterSearch(const OrderedGraph& graph, Labels labels, double typical_cost,
                             const KljOptions& options, Watch& watch)
    : graph_(graph),
      clusters_(std::move(labels), graph.degrees()),
      attachment_(graph.num_nodes(), 0),
      num_repulsive_(clusters_.num_clusters(), 0),
      options_(options),
      watch_(watch),
      smallest_gain_(kRounding * typical_cost),
      largest_loss_(options.largest_loss * typical_cost),
      candidates_(graph.num_nodes()),
      slot_of_(clusters_.num_clusters(), 0),
      changed_in_(clusters_.num_clusters(), 0) {
  double twice_cut = 0;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    if (work_.is_due(1 + graph.arcs(node).size()) && watch.expired()) return;
    const NodeId cluster = clusters_.label(node);
    double attachment = 0;
    std::size_t num_repulsive = 0;
    for (const OrderedGraph::Arc& arc : graph.arcs(node)) {
      // Which neighbours are inside is hard to predict: there is no branch for it.
      const bool is_inside = clusters_.label(arc.node) == cluster;
      attachment += is_inside * arc.cost;
      twice_cut += !is_inside * arc.cost;
      // Each edge is met twice.
      num_repulsive += is_inside & (arc.cost < 0) & (node < arc.node) ? 1U : 0U;
    }
    attachment_[node] = attachment;
    num_repulsive_[cluster] += num_repulsive;
  }
  objective_ = twice_cut / 2;
  is_complete_ = true;
}

void ClusterSearch::improve(bool chains_wait) {
  watch_.improved(objective_);
  if (!chains_wait) follow_chains_from_everywhere();
  for (round_ = 1; round_ <= options_.max_rounds && !stopped_; ++round_) {
    has_changed_ = false;
    // Clusters that come into being in this round have their turn in the next.
    const NodeId num_clusters = clusters_.num_clusters();
    for (NodeId cluster = 0; cluster < num_clusters && !stopped_; ++cluster) {
      if (is_active(cluster)) improve_pairs_of(cluster);
    }
    for (NodeId cluster = 0; cluster < num_clusters && !stopped_; ++cluster) {
      if (is_active(cluster)) divide(cluster);
    }
    if (!stopped_ && has_changed_ && !chains_wait) follow_chains_at_changes();
    if (!stopped_ && !has_changed_ && chains_wait) {
      chains_wait = false;
      follow_chains_from_everywhere();
    }
    if (watch_.improved(objective_) || !has_changed_) break;
  }
}

NodeId ClusterSearch::add_cluster() {
  num_repulsive_.push_back(0);
  slot_of_.push_back(0);
  changed_in_.push_back(0);
  return clusters_.add_cluster();
}

NodeId ClusterSearch::empty_cluster(std::size_t i) {
  while (empty_clusters_.size() <= i) empty_clusters_.push_back(add_cluster());
  return empty_clusters_[i];
}

ChainLimits ClusterSearch::chain_limits(double typical_cost) const {
  const double scale = std::clamp(graph_.mean_degree() / kSparse, 1.0, kMostScale);
  return {options_.chain_patience, options_.chain_loss * typical_cost * scale, smallest_gain_};
}

double ClusterSearch::largest_loss(double degree) const {
  return largest_loss_ * std::max(1.0, degree / kFewNeighbours);
}

bool ClusterSearch::commit(double gain) {
  if (moves_.empty()) return false;
  // A node may have moved more than once.
  for (std::size_t i = moves_.size(); i-- > 0;) clusters_.pretend(moves_[i].node, moves_[i].from);
  for (const auto [node, from, to] : moves_) {
    attachment_[node] = 0;
    for (const OrderedGraph::Arc& arc : graph_.arcs(node)) {
      const NodeId label = clusters_.label(arc.node);
      if (label == from) {
        attachment_[arc.node] -= arc.cost;
        num_repulsive_[from] -= arc.cost < 0 ? 1 : 0;
      } else if (label == to) {
        attachment_[arc.node] += arc.cost;
        attachment_[node] += arc.cost;
        num_repulsive_[to] += arc.cost < 0 ? 1 : 0;
      }
    }
    clusters_.move(node, from, to);
    mark_changed(from);
    mark_changed(to);
  }
  std::erase_if(empty_clusters_, [&](NodeId cluster) { return clusters_.size(cluster) > 0; });
  objective_ -= gain;
  return true;
}

}  // namespace multicut
