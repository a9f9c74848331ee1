#include "multicut/search/node_chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace multicut {
namespace {

using Arc = OrderedGraph::Arc;

}  // namespace

NodeChains::NodeChains(const OrderedGraph& graph, Clustering& clusters, const ChainLimits& limits,
                       EmptyCluster empty_cluster)
    : graph_(graph),
      clusters_(clusters),
      limits_(limits),
      empty_cluster_(std::move(empty_cluster)),
      largest_degree_(static_cast<std::size_t>(kHub * graph.mean_degree())),
      table_(graph, clusters),
      best_(graph.num_nodes(), Best{0, kNoNode}),
      position_(graph.num_nodes(), kAbsent) {}

std::size_t NodeChains::take_work() { return std::exchange(work_, 0); }

NodeChains::Best NodeChains::best_move(NodeId node) {
  return table_.is_used() ? best_move_by_table(node) : best_move_by_arcs(node);
}

NodeChains::Best NodeChains::best_move_by_table(NodeId node) const {
  const NodeId own = clusters_.label(node);
  const auto [cost, cluster] = table_.largest(node);
  const double attachment = table_.cost(node, own);
  if (cost <= 0 && clusters_.size(own) > 1) return {-attachment, kNoNode};
  return {cost - attachment, cluster};
}

// Which clusters neighbours are in is hard to predict: these loops have no branches for it.
NodeChains::Best NodeChains::best_move_by_arcs(NodeId node) {
  if (cost_to_.size() < clusters_.num_clusters()) cost_to_.resize(clusters_.num_clusters(), 0);
  const auto arcs = graph_.arcs(node);
  work_ += 1 + arcs.size();
  const NodeId own = clusters_.label(node);
  for (const Arc& arc : arcs) cost_to_[clusters_.label(arc.node)] += arc.cost;
  const double attachment = std::exchange(cost_to_[own], -std::numeric_limits<double>::infinity());
  // A single node that opens a new cluster stays what it is.
  const bool may_open = clusters_.size(own) > 1;
  Best best{may_open ? 0 : -std::numeric_limits<double>::infinity(), kNoNode};
  for (const Arc& arc : arcs) {
    const NodeId cluster = clusters_.label(arc.node);
    const bool is_better = cost_to_[cluster] > best.gain;
    best.gain = is_better ? cost_to_[cluster] : best.gain;
    best.to = is_better ? cluster : best.to;
  }
  for (const Arc& arc : arcs) cost_to_[clusters_.label(arc.node)] = 0;
  cost_to_[own] = 0;
  best.gain -= attachment;
  return best;
}

// Whether a node at the side of this one may follow it without a loss: most may not. Where what a node
// gains is known, it is as exact as the search that would follow.
bool NodeChains::may_have_follower(NodeId start, NodeId to) {
  const NodeId from = clusters_.label(start);
  work_ += 1 + graph_.arcs(start).size();
  bool may = false;
  for (const Arc& arc : graph_.arcs(start)) {
    const NodeId label = clusters_.label(arc.node);
    may |= best_[arc.node].gain + largest_rise(arc.cost, label == from, label == to) >= 0;
  }
  return may;
}

double NodeChains::search(NodeId start) {
  moves_.clear();
  num_new_ = 0;
  num_shifted_ = 0;
  const Best first = table_.is_used() || is_hub(start) ? best_move(start) : best_[start];
  if (first.gain < -limits_.largest_loss || !std::isfinite(first.gain)) return 0;
  // The first move counts as a loss, and after a loss comes none.
  if (first.gain <= limits_.smallest_gain && !may_have_follower(start, first.to)) return 0;
  double gain = first.gain;
  double best_gain = 0;
  double gain_of_move = 0;
  std::size_t best_length = 0;
  bool has_lost = true;
  NodeMove move{start, clusters_.label(start), first.to};
  for (;;) {
    if (move.to == kNoNode) {
      move.to = empty_cluster_(num_new_++);
      if (table_.is_used()) table_.add(move.to);
    }
    clusters_.pretend(move.node, move.to);
    position_[move.node] = kMoved;
    moves_.push_back(move);
    if (gain > best_gain + limits_.smallest_gain) {
      best_gain = gain;
      best_length = moves_.size();
    }
    if (moves_.size() - best_length >= static_cast<std::size_t>(limits_.patience)) break;
    if (table_.is_used()) {
      update_by_table(move);
      num_shifted_ = moves_.size();
    } else {
      update_neighbours(move);
    }
    const double least = best_gain - gain - limits_.largest_loss;
    if (!pop_best(has_lost ? std::max(0.0, least) : least, move, gain_of_move)) break;
    gain += gain_of_move;
    has_lost = gain_of_move < 0;
  }
  reset(best_length);
  if (best_length == 0) return 0;
  // Sums that were changed often are not exact where costs of all sizes meet, and what a node gains may
  // have changed since it was refreshed.
  best_gain = exact_gain(graph_, clusters_, moves_);
  for (const NodeMove& made : moves_) work_ += graph_.arcs(made.node).size();
  if (best_gain > limits_.smallest_gain) return best_gain;
  moves_.clear();
  return 0;
}

void NodeChains::accept() {
  if (!table_.is_used()) return;
  for (const NodeMove& move : moves_) shift(move);
}

void NodeChains::shift(const NodeMove& move) {
  work_ += graph_.arcs(move.node).size();
  for (const Arc& arc : graph_.arcs(move.node)) {
    table_.shift(arc.node, arc.cost, move.from, move.to);
  }
}

// As update_neighbours, but knows what candidates gain unless their best cluster has lost attraction:
// the bound is tight.
void NodeChains::update_by_table(const NodeMove& move) {
  work_ += graph_.arcs(move.node).size();
  for (const auto [node, cost] : graph_.arcs(move.node)) {
    table_.shift(node, cost, move.from, move.to);
    std::uint32_t& position = position_[node];
    if (position == kMoved) continue;
    if (position == kAbsent) {
      if (is_hub(node)) continue;
      position = static_cast<std::uint32_t>(candidates_.size());
      candidates_.push_back({best_[node].gain, node, kUnknown});
    }
    Candidate& candidate = candidates_[position];
    candidate.to = kUnknown;
    const NodeId own = clusters_.label(node);
    const double attachment = table_.cost(node, own);
    if (own == move.from) {
      candidate.gain = std::max(candidate.gain + cost, table_.cost(node, move.to) - attachment);
    } else if (own == move.to) {
      candidate.gain = std::max(candidate.gain - cost, table_.cost(node, move.from) - attachment);
    } else {
      const NodeId risen = cost > 0 ? move.to : move.from;
      candidate.gain = std::max(candidate.gain, table_.cost(node, risen) - attachment);
    }
  }
}

// Adds a node's neighbours to the candidates, and raises what they are thought to gain.
void NodeChains::update_neighbours(const NodeMove& move) {
  work_ += graph_.arcs(move.node).size();
  for (const Arc& arc : graph_.arcs(move.node)) {
    std::uint32_t& position = position_[arc.node];
    if (position == kMoved) continue;
    const NodeId label = clusters_.label(arc.node);
    const double rise = largest_rise(arc.cost, label == move.from, label == move.to);
    if (position == kAbsent) {
      if (is_hub(arc.node)) continue;
      position = static_cast<std::uint32_t>(candidates_.size());
      candidates_.push_back({best_[arc.node].gain + rise, arc.node, kUnknown});
    } else {
      candidates_[position].gain += rise;
      candidates_[position].to = kUnknown;
    }
  }
}

// Takes the candidate out that gains most. False if none gains `least`.
bool NodeChains::pop_best(double least, NodeMove& move, double& gain) {
  const auto best_of = [this](NodeId node) { return best_move(node); };
  return take_best(candidates_, position_, clusters_, least, best_of, work_, move, gain);
}

// Takes all moves back and forgets those after the first few.
void NodeChains::reset(std::size_t length) {
  for (const Candidate& candidate : candidates_) position_[candidate.node] = kAbsent;
  candidates_.clear();
  if (table_.is_used()) {
    for (std::size_t i = 0; i < num_shifted_; ++i) {
      const auto [node, from, to] = moves_[i];
      shift({node, to, from});
    }
  }
  for (const NodeMove& move : moves_) {
    clusters_.pretend(move.node, move.from);
    position_[move.node] = kAbsent;
  }
  moves_.resize(length);
}

}  // namespace multicut
