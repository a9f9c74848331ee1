#include "multicut/lifted/chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace multicut {
namespace {

constexpr std::uint32_t kAbsent = kNoNode;
constexpr std::uint32_t kMoved = kNoNode - 1;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of the mean degree: what makes a hub.
constexpr double kHub = 16;

// A chain ends after so many arcs, in mean degrees: nodes of many neighbours make it long.
constexpr double kMostWork = 30;

// By how much the best gain of a node rises at most when a neighbour leaves a cluster for another, if it
// can move to the same clusters as before.
double largest_rise(double cost, bool shares_old, bool shares_new) {
  if (shares_old) return cost > 0 ? 2 * cost : cost;
  if (shares_new) return cost < 0 ? -2 * cost : -cost;
  return std::abs(cost);
}

}  // namespace

LiftedChains::LiftedChains(const OrderedProblem& problem, Clustering& clusters,
                           const NodeChains::Limits& limits, EmptyCluster empty_cluster)
    : problem_(problem),
      clusters_(clusters),
      limits_(limits),
      empty_cluster_(std::move(empty_cluster)),
      largest_degree_(static_cast<std::size_t>(kHub * problem.mean_degree())),
      most_work_(static_cast<std::size_t>(kMostWork * problem.mean_degree())),
      best_(problem.num_nodes(), Best{0, kNoNode, 0, 0}),
      position_(problem.num_nodes(), kAbsent) {}

std::size_t LiftedChains::take_work() { return std::exchange(work_, 0); }

LiftedChains::Best LiftedChains::best_move(NodeId node) {
  if (seen_.size() < clusters_.num_clusters()) {
    seen_.resize(clusters_.num_clusters(), 0);
    cost_to_.resize(clusters_.num_clusters(), 0);
  }
  work_ += problem_.arcs(node).size();
  const NodeId own = clusters_.label(node);
  ++clock_;
  seen_[own] = clock_;
  cost_to_[own] = 0;
  touched_.clear();
  for (const auto [other, cost] : problem_.links(node)) {
    const NodeId cluster = clusters_.label(other);
    if (seen_[cluster] != clock_) {
      seen_[cluster] = clock_;
      cost_to_[cluster] = 0;
      touched_.push_back(cluster);
    }
    cost_to_[cluster] += cost;
  }
  double lifted_attraction = 0;
  for (const auto [other, cost] : problem_.lifted_arcs(node)) {
    const NodeId cluster = clusters_.label(other);
    lifted_attraction += std::max(cost, 0.0);
    if (seen_[cluster] == clock_) cost_to_[cluster] += cost;
  }
  const double attachment = cost_to_[own];
  Best best{-kInfinity, kNoNode, attachment, lifted_attraction};
  if (clusters_.size(own) > 1) best.gain = -attachment;
  for (const NodeId cluster : touched_) {
    const double gain = cost_to_[cluster] - attachment;
    if (gain > best.gain) {
      best.gain = gain;
      best.to = cluster;
    }
  }
  return best;
}

double LiftedChains::search(NodeId start, std::vector<NodeMove>& moves) {
  moves.clear();
  num_new_ = 0;
  Best first = best_[start];
  if (is_hub(start)) first = best_move(start);
  if (first.gain < -limits_.largest_loss || !std::isfinite(first.gain)) return 0;
  const std::size_t limit = work_ + most_work_;
  double gain = first.gain;
  double best_gain = 0;
  double gain_of_last = 0;
  std::size_t best_length = 0;
  std::size_t num_new_of_best = 0;
  bool has_lost = true;
  NodeMove move{start, clusters_.label(start), first.to};
  for (;;) {
    if (move.to == kNoNode) move.to = empty_cluster_(num_new_++);
    clusters_.pretend(move.node, move.to);
    position_[move.node] = kMoved;
    moves.push_back(move);
    if (gain > best_gain + limits_.smallest_gain) {
      best_gain = gain;
      best_length = moves.size();
      num_new_of_best = num_new_;
    }
    if (moves.size() - best_length >= static_cast<std::size_t>(limits_.patience)) break;
    if (work_ > limit) break;
    double least = best_gain - gain - limits_.largest_loss;
    if (has_lost) least = std::max(0.0, least);
    update_neighbours(move, least);
    if (!pop_best(least, move, gain_of_last)) break;
    gain += gain_of_last;
    has_lost = gain_of_last < 0;
  }
  for (const Candidate& candidate : candidates_) position_[candidate.node] = kAbsent;
  candidates_.clear();
  for (const NodeMove& made : moves) {
    clusters_.pretend(made.node, made.from);
    position_[made.node] = kAbsent;
  }
  moves.resize(best_length);
  num_new_ = num_new_of_best;
  return best_gain;
}

// Adds a node's neighbours to the candidates, and raises what they are thought to gain. What gains less than
// `least` is of no interest yet.
void LiftedChains::update_neighbours(const NodeMove& move, double least) {
  work_ += problem_.arcs(move.node).size();
  for (const auto [node, cost] : problem_.links(move.node)) {
    Candidate* const candidate = update(node, cost, move);
    // It may not have been able to move there before.
    if (candidate != nullptr && clusters_.label(node) != move.to) open_way(*candidate, cost, move, least);
  }
  for (const auto [node, cost] : problem_.lifted_arcs(move.node)) update(node, cost, move);
}

LiftedChains::Candidate* LiftedChains::update(NodeId node, double cost, const NodeMove& move) {
  std::uint32_t& position = position_[node];
  if (position == kMoved) return nullptr;
  if (position == kAbsent) {
    if (is_hub(node)) return nullptr;
    position = static_cast<std::uint32_t>(candidates_.size());
    candidates_.push_back({best_[node].gain, best_[node].attachment, node, kUnknown});
  }
  Candidate& candidate = candidates_[position];
  const NodeId label = clusters_.label(node);
  candidate.to = kUnknown;
  candidate.gain += largest_rise(cost, label == move.from, label == move.to);
  if (label == move.from) candidate.attachment -= cost;
  if (label == move.to) candidate.attachment += cost;
  return &candidate;
}

// A node next to the one that moved may follow it. Raises the bound on its gain, if it had no link to that
// cluster before.
void LiftedChains::open_way(Candidate& candidate, double cost, const NodeMove& move, double least) {
  const auto lifted_arcs = problem_.lifted_arcs(candidate.node);
  const double gain_at_most =
      cost + best_[candidate.node].lifted_attraction - candidate.attachment;
  if (lifted_arcs.empty() || gain_at_most <= candidate.gain) return;
  if (gain_at_most < least) {
    candidate.gain = gain_at_most;
    return;
  }
  for (const auto [other, cost_of_other] : problem_.links(candidate.node)) {
    ++work_;
    if (clusters_.label(other) == move.to && other != move.node) return;
  }
  work_ += lifted_arcs.size();
  double gain = cost - candidate.attachment;
  for (const auto [other, cost_of_other] : lifted_arcs) {
    if (clusters_.label(other) == move.to) gain += cost_of_other;
  }
  candidate.gain = std::max(candidate.gain, gain);
}

// Takes the candidate out that gains most. False if none gains `least`.
bool LiftedChains::pop_best(double least, NodeMove& move, double& gain) {
  for (;;) {
    if (candidates_.empty()) return false;
    work_ += candidates_.size() / 4;
    std::size_t at = 0;
    for (std::size_t i = 1; i < candidates_.size(); ++i) {
      at = candidates_[i].gain > candidates_[at].gain ? i : at;
    }
    Candidate& candidate = candidates_[at];
    if (candidate.gain < least || !std::isfinite(candidate.gain)) return false;
    if (candidate.to == kUnknown) {
      const double bound = candidate.gain;
      const Best best = best_move(candidate.node);
      candidate.gain = best.gain;
      candidate.to = best.to;
      if (best.gain < bound) continue;
    }
    move = {candidate.node, clusters_.label(candidate.node), candidate.to};
    gain = candidate.gain;
    position_[candidates_.back().node] = static_cast<std::uint32_t>(at);
    candidate = candidates_.back();
    candidates_.pop_back();
    return true;
  }
}

}  // namespace multicut
