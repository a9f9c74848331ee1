#include "multicut/lifted/cluster_search.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "multicut/graph/sums.hpp"

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

ClusterSearch::ClusterSearch(const OrderedProblem& problem, Labels labels, double typical_cost,
                             const KljOptions& options, Watch& watch,
                             std::span<const std::uint8_t> is_changed)
    : problem_(problem),
      clusters_(std::move(labels), problem.degrees()),
      attachment_(problem.num_nodes(), 0),
      num_repulsive_(clusters_.num_clusters(), 0),
      options_(options),
      watch_(watch),
      smallest_gain_(kRounding * typical_cost),
      largest_loss_(options.largest_loss * typical_cost),
      candidates_(problem.num_nodes()),
      chains_(problem, clusters_,
              {options.chain_patience,
               options.chain_loss * typical_cost *
                   std::clamp(problem.mean_degree() / kSparse, 1.0, kMostScale),
               smallest_gain_},
              [this](std::size_t i) { return empty_cluster(i); }),
      mender_(problem, clusters_, [this](std::size_t i) { return empty_cluster(i); }),
      torn_(problem, clusters_),
      is_queued_(problem.num_nodes(), 0),
      refreshed_(problem.num_nodes(), 0),
      slot_of_(clusters_.num_clusters(), 0),
      changed_in_(clusters_.num_clusters(), is_changed.empty() ? 0 : -1) {
  double twice_cut = 0;
  for (NodeId node = 0; node < problem.num_nodes(); ++node) {
    if (work_.is_due(1 + problem.arcs(node).size()) && watch.expired()) return;
    const NodeId cluster = clusters_.label(node);
    if (!is_changed.empty() && is_changed[node]) changed_in_[cluster] = 0;
    for (const auto [other, cost] : problem.arcs(node)) {
      const bool is_inside = clusters_.label(other) == cluster;
      (is_inside ? attachment_[node] : twice_cut) += cost;
      num_repulsive_[cluster] += is_inside && cost < 0 && node < other ? 1 : 0;
    }
  }
  objective_ = twice_cut / 2;
  is_complete_ = true;
}

double ClusterSearch::run() {
  const double start = objective_;
  watch_.improved(objective_);
  // From single nodes chains would do what greedy contraction does. Where most clusters are single nodes, as
  // in fusion, they wait until nothing else helps.
  bool chains_wait = 2 * std::size_t{clusters_.num_clusters()} > problem_.num_nodes();
  if (!chains_wait) follow_chains_from_everywhere();
  for (round_ = 1; round_ <= options_.max_rounds && !stopped_; ++round_) {
    has_changed_ = false;
    // Clusters that come into being in this round have their turn in the next.
    const NodeId num_clusters = clusters_.num_clusters();
    for (NodeId cluster = 0; cluster < num_clusters && !stopped_; ++cluster) {
      if (is_active(cluster)) improve_pairs_of(cluster);
    }
    for (NodeId cluster = 0; cluster < num_clusters && !stopped_; ++cluster) {
      if (is_active(cluster)) split(cluster);
    }
    if (!stopped_ && has_changed_ && !chains_wait) follow_chains_at_changes();
    if (!stopped_ && !has_changed_ && chains_wait) {
      chains_wait = false;
      follow_chains_from_everywhere();
    }
    if (watch_.improved(objective_) || !has_changed_) break;
  }
  return start - objective_;
}

NodeId ClusterSearch::add_cluster() {
  num_repulsive_.push_back(0);
  slot_of_.push_back(0);
  changed_in_.push_back(0);
  return clusters_.add_cluster();
}

// The i-th of the clusters kept for nodes that are to have a new one.
NodeId ClusterSearch::empty_cluster(std::size_t i) {
  while (empty_clusters_.size() <= i) empty_clusters_.push_back(add_cluster());
  return empty_clusters_[i];
}

void ClusterSearch::mark_changed(NodeId cluster) {
  changed_in_[cluster] = round_;
  has_changed_ = true;
}

// Starts chains at all nodes, or at those in clusters that have changed and next to them.
void ClusterSearch::follow_chains_from_everywhere() {
  if (options_.chain_patience == 0 || options_.max_rounds == 0) return;
  changes_ += 1;
  const auto is_fresh = [&](NodeId node) { return changed_in_[clusters_.label(node)] >= 0; };
  for (NodeId node = 0; node < problem_.num_nodes(); ++node) {
    const auto links = problem_.links(node);
    // What nothing attracts waits for others to come to it.
    const bool is_alone = clusters_.size(clusters_.label(node)) == 1;
    if (links.empty() || (is_alone && !is_attracted(node))) continue;
    refresh(node);
    count(chains_.take_work());
    if (stopped_) return;
    if (is_fresh(node) || std::ranges::any_of(links, is_fresh, &OrderedProblem::Arc::node)) queue(node);
  }
  follow_chains();
}

// Starts chains in clusters that have changed in this round and next to them, at nodes that have more to
// gain than before.
void ClusterSearch::follow_chains_at_changes() {
  if (options_.chain_patience == 0) return;
  changes_ += 1;
  for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
    if (changed_in_[cluster] < round_) continue;
    for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
      count(1 + problem_.arcs(node).size() + chains_.take_work());
      if (stopped_) return;
      queue_if_risen(node);
      for (const auto [other, cost] : problem_.arcs(node)) queue_if_risen(other);
    }
  }
  follow_chains();
}

void ClusterSearch::queue(NodeId node) {
  if (is_queued_[node]) return;
  is_queued_[node] = 1;
  queue_.push_back(node);
}

void ClusterSearch::queue_if_risen(NodeId node) {
  if (refresh(node) > smallest_gain_) queue(node);
}

// Once after each change. Returns by how much more moving the node gains than before.
double ClusterSearch::refresh(NodeId node) {
  if (refreshed_[node] == changes_) return 0;
  refreshed_[node] = changes_;
  return chains_.refresh(node);
}

// Starts chains at the nodes in the queue. Where a chain helps, its nodes have another turn, and so have
// those at their side that have more to gain than before.
void ClusterSearch::follow_chains() {
  for (std::size_t i = 0; i < queue_.size(); ++i) {
    const NodeId start = queue_[i];
    is_queued_[start] = 0;
    double gain = chains_.search(start, moves_);
    count(chains_.take_work());
    if (gain > 0) {
      for (const auto [node, from, to] : moves_) clusters_.pretend(node, to);
      gain = settle(gain, chains_.num_new());
      if (gain > 0) {
        // Else two chains may undo each other for ever, where costs of all sizes meet.
        for (std::size_t k = moves_.size(); k-- > 0;) clusters_.pretend(moves_[k].node, moves_[k].from);
        gain = exact_gain(problem_, clusters_, moves_);
        if (gain <= smallest_gain_) moves_.clear();
      }
      if (commit(gain)) {
        changes_ += 1;
        for (const NodeMove& move : moves_) {
          refresh(move.node);
          queue(move.node);
          for (const auto [other, cost] : problem_.arcs(move.node)) {
            if (!chains_.is_hub(other)) queue_if_risen(other);
          }
        }
      }
    }
    if (stopped_) return;
  }
  queue_.clear();
}

// The labels are those after moves_, which gain this much if clusters need not be connected. Mends what they
// have torn. Returns what all of it gains; takes it back and returns 0 if that is nothing.
double ClusterSearch::settle(double gain, std::size_t num_new) {
  const std::optional<double> cost = mender_.mend(moves_, num_new);
  count(mender_.take_work());
  gain = cost ? gain - *cost : 0;
  if (gain > smallest_gain_) return gain;
  undo_moves(clusters_, moves_);
  return 0;
}

void ClusterSearch::improve_pairs_of(NodeId cluster) {
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
void ClusterSearch::collect_border(NodeId cluster) {
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
ClusterSearch::Border ClusterSearch::border_between(NodeId a, NodeId b) {
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
bool ClusterSearch::improve_pair(NodeId a, NodeId b, const Border& border) {
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
  Limits limits{static_cast<std::size_t>(options_.patience),
                largest_loss_ * std::max(1.0, degree / kFewNeighbours), false};
  while (can_gain) {
    add_candidates(border);
    const double seeming = search_moves(a, b, limits);
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
void ClusterSearch::add_candidates(const Border& border) {
  for (const auto [inside, outside, cost] : border.links) {
    for (const NodeId node : {inside, outside}) {
      if (candidates_.contains(node)) {
        candidates_.add(node, cost);
      } else {
        candidates_.push(node, cost - attachment_[node]);
      }
    }
  }
  for (const auto [inside, outside, cost] : border.lifted) {
    if (candidates_.contains(inside)) candidates_.add(inside, cost);
    if (candidates_.contains(outside)) candidates_.add(outside, cost);
  }
}

void ClusterSearch::join(NodeId a, NodeId b, const Border& border) {
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
void ClusterSearch::split(NodeId cluster) {
  const Limits limits{clusters_.size(cluster), std::numeric_limits<double>::infinity(), false};
  while (!stopped_ && num_repulsive_[cluster] > 0 && clusters_.size(cluster) > 1) {
    NodeId seed = clusters_.first(cluster);
    for (NodeId node = seed; node != kNoNode; node = clusters_.next(node)) {
      if (attachment_[node] < attachment_[seed]) seed = node;
    }
    count(clusters_.size(cluster));
    candidates_.push(seed, -attachment_[seed]);
    const double gain = search_moves(cluster, empty_cluster(0), limits);
    // Moving all of it is no split; only rounding can make that look like a gain.
    if (moves_.size() == clusters_.size(cluster)) undo_moves(clusters_, moves_);
    if (moves_.empty() || !commit(settle(gain, 1))) return;
  }
}

// Moves the candidate that gains most (or loses least) to the other side, again and again. Returns what the
// best prefix of that sequence gains; moves_ holds just this prefix, with the labels as they are after it.
// Candidates have a link to the other side, or that is empty.
double ClusterSearch::search_moves(NodeId a, NodeId b, const Limits& limits) {
  double gain = 0;
  double best_gain = 0;
  std::size_t best_length = 0;
  moves_.clear();
  while (!candidates_.empty() && moves_.size() - best_length < limits.patience) {
    const auto [key, node] = candidates_.pop();
    if (best_gain - (gain + key) > limits.largest_loss) break;
    count(1 + problem_.arcs(node).size());
    if (stopped_) break;
    if (limits.is_strict && is_needed(node)) continue;
    gain += key;
    const NodeId from = clusters_.label(node);
    const NodeId to = from == a ? b : a;
    clusters_.pretend(node, to);
    moves_.push_back({node, from, to});
    if (gain > best_gain + smallest_gain_) {
      best_gain = gain;
      best_length = moves_.size();
    }
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
  }
  candidates_.clear();
  undo_moves(clusters_, moves_, best_length);
  return best_gain;
}

bool ClusterSearch::is_attracted(NodeId node) const {
  return std::ranges::any_of(problem_.arcs(node), [](const auto& arc) { return arc.cost > 0; });
}

// Whether the other nodes of its cluster may be connected by this node alone.
bool ClusterSearch::is_needed(NodeId node) {
  const NodeId cluster = clusters_.label(node);
  starts_.clear();
  for (const auto [other, cost] : problem_.links(node)) {
    if (clusters_.label(other) == cluster) starts_.push_back(other);
  }
  if (starts_.size() < 2) return false;
  clusters_.pretend(node, kNoNode);
  const bool is_known = torn_.search(cluster, starts_);
  clusters_.pretend(node, cluster);
  work_ += torn_.take_work();
  return !is_known || !torn_.pieces().empty();
}

// Makes the moves real. Returns whether there were any.
bool ClusterSearch::commit(double gain) {
  if (moves_.empty()) return false;
  for (std::size_t i = moves_.size(); i-- > 0;) clusters_.pretend(moves_[i].node, moves_[i].from);
  for (const auto [node, from, to] : moves_) {
    attachment_[node] = 0;
    for (const auto [other, cost] : problem_.arcs(node)) {
      const NodeId label = clusters_.label(other);
      if (label == from) {
        attachment_[other] -= cost;
        num_repulsive_[from] -= cost < 0 ? 1 : 0;
      } else if (label == to) {
        attachment_[other] += cost;
        attachment_[node] += cost;
        num_repulsive_[to] += cost < 0 ? 1 : 0;
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
