#include "multicut/lifted/search.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace multicut {

LiftedSearch::LiftedSearch(const OrderedProblem& problem, Labels labels, double typical_cost,
                           const KljOptions& options, Watch& watch,
                           std::span<const std::uint8_t> is_changed)
    : ClusterSearch(problem, std::move(labels), typical_cost, options, watch),
      problem_(problem),
      chains_(problem, clusters_, chain_limits(typical_cost),
              [this](std::size_t i) { return empty_cluster(i); }),
      mender_(problem, clusters_, [this](std::size_t i) { return empty_cluster(i); }),
      torn_(problem, clusters_),
      starts_(problem, chains_, smallest_gain_) {
  if (is_changed.empty()) return;
  std::ranges::fill(changed_in_, -1);
  for (NodeId node = 0; node < is_changed.size(); ++node) {
    if (is_changed[node]) changed_in_[clusters_.label(node)] = 0;
  }
}

double LiftedSearch::run() {
  const double start = objective_;
  // From single nodes chains would do what greedy contraction does. Where most clusters are single nodes, as
  // in fusion, they wait until nothing else helps.
  improve(2 * std::size_t{clusters_.num_clusters()} > problem_.num_nodes());
  return start - objective_;
}

// Starts chains at all nodes, or at those in clusters that have changed and next to them.
void LiftedSearch::follow_chains_from_everywhere() {
  if (options_.chain_patience == 0 || options_.max_rounds == 0) return;
  starts_.begin_change();
  const auto is_fresh = [&](NodeId node) { return changed_in_[clusters_.label(node)] >= 0; };
  for (NodeId node = 0; node < problem_.num_nodes(); ++node) {
    const auto links = problem_.links(node);
    // What nothing attracts waits for others to come to it.
    const bool is_alone = clusters_.size(clusters_.label(node)) == 1;
    if (links.empty() || (is_alone && !is_attracted(node))) continue;
    starts_.refresh(node);
    count(chains_.take_work());
    if (stopped_) return;
    if (is_fresh(node) || std::ranges::any_of(links, is_fresh, &OrderedProblem::Arc::node)) {
      starts_.push(node);
    }
  }
  follow_chains();
}

// Starts chains in clusters that have changed in this round and next to them, at nodes that have more to
// gain than before.
void LiftedSearch::follow_chains_at_changes() {
  if (options_.chain_patience == 0) return;
  starts_.begin_change();
  for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
    if (changed_in_[cluster] < round_) continue;
    for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
      count(1 + problem_.arcs(node).size() + chains_.take_work());
      if (stopped_) return;
      starts_.push_if_risen(node);
      for (const auto [other, cost] : problem_.arcs(node)) starts_.push_if_risen(other);
    }
  }
  follow_chains();
}

void LiftedSearch::follow_chains() {
  while (!starts_.empty() && !stopped_) {
    double gain = chains_.search(starts_.pop(), moves_);
    count(chains_.take_work());
    if (gain <= 0) continue;
    for (const auto [node, from, to] : moves_) clusters_.pretend(node, to);
    gain = settle(gain, chains_.num_new());
    if (gain > 0) {
      // Else two chains may undo each other for ever, where costs of all sizes meet.
      for (std::size_t k = moves_.size(); k-- > 0;) clusters_.pretend(moves_[k].node, moves_[k].from);
      gain = exact_gain(problem_, clusters_, moves_);
      if (gain <= smallest_gain_) moves_.clear();
    }
    if (commit(gain)) starts_.follow(moves_);
  }
}

// The labels are those after moves_, which gain this much if clusters need not be connected. Mends what they
// have torn. Returns what all of it gains; takes it back and returns 0 if that is nothing.
double LiftedSearch::settle(double gain, std::size_t num_new) {
  const std::optional<double> cost = mender_.mend(moves_, num_new);
  count(mender_.take_work());
  gain = cost ? gain - *cost : 0;
  if (gain > smallest_gain_) return gain;
  undo_moves(clusters_, moves_);
  return 0;
}

void LiftedSearch::improve_pairs_of(NodeId cluster) {
  count(clusters_.volume(cluster));
  if (stopped_) return;
  collect_border(cluster);
  bool is_stale = false;
  for (const auto [other, begin, end_of_links, end] : neighbours_) {
    const std::span<const BorderEdge> border = border_;
    Border between{border.subspan(begin, end_of_links - begin),
                   border.subspan(end_of_links, end - end_of_links)};
    if (is_stale) between = border_between(cluster, other);
    if (between.links.empty()) continue;
    is_stale |= improve_pair(cluster, other, between);
    if (stopped_ || clusters_.size(cluster) == 0) return;
  }
}

// Collects the edges that leave a cluster, grouped by the cluster they lead to. Leaves out clusters that no
// link leads to, and pairs that had their turn in this round.
void LiftedSearch::collect_border(NodeId cluster) {
  neighbours_.clear();
  const auto slot_of = [&](NodeId end) -> Neighbour* {
    const NodeId other = clusters_.label(end);
    const std::uint32_t slot = slot_of_[other];
    if (slot >= neighbours_.size() || neighbours_[slot].cluster != other) return nullptr;
    return &neighbours_[slot];
  };
  const auto for_each_node = [&](auto visit) {
    for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
      visit(node);
    }
  };
  for_each_node([&](NodeId node) {
    for (const auto [end, cost] : problem_.links(node)) {
      const NodeId other = clusters_.label(end);
      if (other == cluster || (other < cluster && is_active(other))) continue;
      Neighbour* neighbour = slot_of(end);
      if (neighbour == nullptr) {
        slot_of_[other] = static_cast<std::uint32_t>(neighbours_.size());
        neighbour = &neighbours_.emplace_back(Neighbour{other, 0, 0, 0});
      }
      ++neighbour->end_of_links;
    }
  });
  for_each_node([&](NodeId node) {
    for (const auto [end, cost] : problem_.lifted_arcs(node)) {
      if (Neighbour* const neighbour = slot_of(end)) ++neighbour->end;
    }
  });
  std::uint32_t begin = 0;
  for (Neighbour& neighbour : neighbours_) {
    const std::uint32_t num_links = neighbour.end_of_links;
    const std::uint32_t num_lifted = neighbour.end;
    neighbour.begin = neighbour.end_of_links = begin;
    neighbour.end = begin + num_links;
    begin += num_links + num_lifted;
  }
  border_.resize(begin);
  for_each_node([&](NodeId node) {
    for (const auto [end, cost] : problem_.links(node)) {
      if (Neighbour* const neighbour = slot_of(end)) {
        border_[neighbour->end_of_links++] = {node, end, cost};
      }
    }
    for (const auto [end, cost] : problem_.lifted_arcs(node)) {
      if (Neighbour* const neighbour = slot_of(end)) border_[neighbour->end++] = {node, end, cost};
    }
  });
}

// The edges between two clusters as these are now.
LiftedSearch::Border LiftedSearch::border_between(NodeId a, NodeId b) {
  if (clusters_.volume(a) > clusters_.volume(b)) std::swap(a, b);
  work_ += clusters_.volume(a);
  fresh_links_.clear();
  fresh_lifted_.clear();
  for (NodeId node = clusters_.first(a); node != kNoNode; node = clusters_.next(node)) {
    for (const auto [end, cost] : problem_.links(node)) {
      if (clusters_.label(end) == b) fresh_links_.push_back({node, end, cost});
    }
    for (const auto [end, cost] : problem_.lifted_arcs(node)) {
      if (clusters_.label(end) == b) fresh_lifted_.push_back({node, end, cost});
    }
  }
  return {fresh_links_, fresh_lifted_};
}

// Returns whether anything changed.
bool LiftedSearch::improve_pair(NodeId a, NodeId b, const Border& border) {
  count(border.links.size() + border.lifted.size() + 1);
  if (stopped_) return false;
  double cost_between = 0;
  std::size_t num_attractive = 0;
  for (const auto edges : {border.links, border.lifted}) {
    for (const BorderEdge& edge : edges) {
      cost_between += edge.cost;
      num_attractive += edge.cost > 0 ? 1 : 0;
    }
  }
  double gain = 0;
  moves_.clear();
  const double num_nodes = clusters_.size(a) + clusters_.size(b);
  // Between two single nodes there is nothing to move; and nothing can be gained where nothing attracts
  // between two clusters or repels within them.
  const bool can_gain =
      num_nodes > 2 && num_attractive + num_repulsive_[a] + num_repulsive_[b] > 0;
  const double degree = 2 * static_cast<double>(border.links.size()) / num_nodes;
  Limits limits{static_cast<std::size_t>(options_.patience), largest_loss(degree), false};
  while (can_gain) {
    add_candidates(border);
    const double seeming = move_between(a, b, limits);
    if (seeming > 0) gain = settle(seeming, 0);
    // Moves that tear clusters may gain less than they seem to; then those are tried that do not.
    if (seeming == 0 || gain > 0 || stopped_ || limits.is_strict) break;
    limits.is_strict = true;
  }
  if (cost_between <= gain || cost_between <= smallest_gain_) return commit(gain);
  undo_moves(clusters_, moves_);
  join(a, b, border);
  objective_ -= cost_between;
  return true;
}

// Makes the nodes with links between two clusters candidates for a move to the other one.
void LiftedSearch::add_candidates(const Border& border) {
  for (const auto [inside, outside, cost] : border.links) {
    add_candidate(inside, cost);
    add_candidate(outside, cost);
  }
  for (const auto [inside, outside, cost] : border.lifted) {
    if (candidates_.contains(inside)) candidates_.add(inside, cost);
    if (candidates_.contains(outside)) candidates_.add(outside, cost);
  }
}

void LiftedSearch::join(NodeId a, NodeId b, const Border& border) {
  std::size_t num_repulsive = num_repulsive_[a] + num_repulsive_[b];
  for (const auto edges : {border.links, border.lifted}) {
    for (const auto [inside, outside, cost] : edges) {
      attachment_[inside] += cost;
      attachment_[outside] += cost;
      num_repulsive += cost < 0 ? 1 : 0;
    }
  }
  const NodeId joined = clusters_.join(a, b);
  num_repulsive_[a] = num_repulsive_[b] = 0;
  num_repulsive_[joined] = num_repulsive;
  mark_changed(a);
  mark_changed(b);
}

// Grows a new cluster from the node that is least attached to its own, as far as that goes: where two
// objects have been joined, most of one of them has to move before that gains.
void LiftedSearch::divide(NodeId cluster) {
  const Limits limits{clusters_.size(cluster), std::numeric_limits<double>::infinity(), false};
  while (!stopped_ && num_repulsive_[cluster] > 0 && clusters_.size(cluster) > 1) {
    NodeId seed = clusters_.first(cluster);
    for (NodeId node = seed; node != kNoNode; node = clusters_.next(node)) {
      if (attachment_[node] < attachment_[seed]) seed = node;
    }
    count(clusters_.size(cluster));
    candidates_.push(seed, -attachment_[seed]);
    const double gain = move_between(cluster, empty_cluster(0), limits);
    // Moving all of it is no split; only rounding can make that look like a gain.
    if (moves_.size() == clusters_.size(cluster)) undo_moves(clusters_, moves_);
    if (moves_.empty() || !commit(settle(gain, 1))) return;
  }
}

// Moves nodes between two clusters. Candidates have a link to the other side, or that is empty.
double LiftedSearch::move_between(NodeId a, NodeId b, const Limits& limits) {
  const auto may_move = [&](NodeId node) { return !limits.is_strict || !is_needed(node); };
  const auto update = [this](NodeId node, NodeId from, NodeId to) {
    for (const auto [other, cost] : problem_.arcs(node)) {
      if (!candidates_.contains(other)) continue;
      const NodeId label = clusters_.label(other);
      if (label == from) candidates_.add(other, 2 * cost);
      if (label == to) candidates_.add(other, -2 * cost);
    }
    for (const auto [other, cost] : problem_.links(node)) {
      if (clusters_.label(other) != from || candidates_.contains(other)) continue;
      if (candidates_.was_popped(other)) continue;
      work_ += problem_.arcs(other).size();
      candidates_.push(other, gain_of_move(problem_, clusters_, other, to));
    }
  };
  return search_moves(a, b, limits.patience, limits.largest_loss, may_move, update);
}

bool LiftedSearch::is_attracted(NodeId node) const {
  return std::ranges::any_of(problem_.arcs(node), [](const auto& arc) { return arc.cost > 0; });
}

// Whether the other nodes of its cluster may be connected by this node alone.
bool LiftedSearch::is_needed(NodeId node) {
  const NodeId cluster = clusters_.label(node);
  ends_.clear();
  for (const auto [other, cost] : problem_.links(node)) {
    if (clusters_.label(other) == cluster) ends_.push_back(other);
  }
  if (ends_.size() < 2) return false;
  clusters_.pretend(node, kNoNode);
  const bool is_known = torn_.search(cluster, ends_);
  clusters_.pretend(node, cluster);
  work_ += torn_.take_work();
  return !is_known || !torn_.pieces().empty();
}

}  // namespace multicut
