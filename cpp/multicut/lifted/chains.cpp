#include "multicut/lifted/chains.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A chain ends after so many arcs, in mean degrees: nodes of many neighbours make it long.
constexpr double kMostWork = 30;

}  // namespace

LiftedChains::LiftedChains(const OrderedProblem& problem, Clustering& clusters,
                           const ChainLimits& limits, EmptyCluster empty_cluster)
    : problem_(problem),
      clusters_(clusters),
      limits_(limits),
      empty_cluster_(std::move(empty_cluster)),
      largest_degree_(static_cast<std::size_t>(kHub * problem.mean_degree())),
      most_work_(static_cast<std::size_t>(kMostWork * problem.mean_degree())),
      best_(problem.num_nodes(), Best{0, kNoNode, 0, 0}),
      position_(problem.num_nodes(), kAbsent) {}

std::size_t LiftedChains::take_work() { return std::exchange(work_, 0); }

// Which clusters neighbours are in is hard to predict: these loops have no branches for it.
LiftedChains::Best LiftedChains::best_move(NodeId node) {
  if (cost_to_.size() < clusters_.num_clusters()) cost_to_.resize(clusters_.num_clusters(), 0);
  const auto links = problem_.links(node);
  const auto lifted_arcs = problem_.lifted_arcs(node);
  work_ += links.size() + lifted_arcs.size();
  const NodeId own = clusters_.label(node);
  for (const auto [other, cost] : links) cost_to_[clusters_.label(other)] += cost;
  double lifted_attraction = 0;
  for (const auto [other, cost] : lifted_arcs) {
    cost_to_[clusters_.label(other)] += cost;
    lifted_attraction += std::max(cost, 0.0);
  }
  const double attachment = std::exchange(cost_to_[own], -kInfinity);
  // A single node that opens a new cluster stays what it is.
  Best best{clusters_.size(own) > 1 ? -attachment : -kInfinity, kNoNode, attachment, lifted_attraction};
  for (const auto [other, cost] : links) {
    const NodeId cluster = clusters_.label(other);
    const double gain = cost_to_[cluster] - attachment;
    const bool is_better = gain > best.gain;
    best.gain = is_better ? gain : best.gain;
    best.to = is_better ? cluster : best.to;
  }
  for (const auto [other, cost] : links) cost_to_[clusters_.label(other)] = 0;
  for (const auto [other, cost] : lifted_arcs) cost_to_[clusters_.label(other)] = 0;
  cost_to_[own] = 0;
  return best;
}

// Whether a node at the side of this one may follow it without a loss: most may not. Bounds are those that
// the search would begin with.
bool LiftedChains::may_have_follower(NodeId start, NodeId to) {
  const NodeId from = clusters_.label(start);
  work_ += 1 + problem_.arcs(start).size();
  bool may = false;
  for (const auto [node, cost] : problem_.links(start)) {
    const NodeId label = clusters_.label(node);
    const Best& best = best_[node];
    const double attachment = best.attachment - (label == from ? cost : 0);
    may |= best.gain + largest_rise(cost, label == from, label == to) >= 0;
    // It may not have been able to move there before.
    may |= label != to && cost + best.lifted_attraction - attachment >= 0;
  }
  for (const auto [node, cost] : problem_.lifted_arcs(start)) {
    const NodeId label = clusters_.label(node);
    may |= best_[node].gain + largest_rise(cost, label == from, label == to) >= 0;
  }
  return may;
}

double LiftedChains::search(NodeId start, std::vector<NodeMove>& moves) {
  moves.clear();
  num_new_ = 0;
  Best first = best_[start];
  if (is_hub(start)) first = best_move(start);
  if (first.gain < -limits_.largest_loss || !std::isfinite(first.gain)) return 0;
  // The first move counts as a loss, and after a loss comes none.
  if (first.gain <= limits_.smallest_gain && !may_have_follower(start, first.to)) return 0;
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
  const auto best_of = [this](NodeId node) { return best_move(node); };
  return take_best(candidates_, position_, clusters_, least, best_of, work_, move, gain);
}

}  // namespace multicut
