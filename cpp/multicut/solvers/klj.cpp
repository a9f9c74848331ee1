#include "multicut/solvers/klj.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/indexed_heap.hpp"
#include "multicut/solvers/clustering.hpp"
#include "multicut/solvers/node_chains.hpp"
#include "multicut/solvers/ordered_graph.hpp"
#include "multicut/solvers/typical_cost.hpp"

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

using Arc = OrderedGraph::Arc;

class Search {
 public:
  Search(const OrderedGraph& graph, Labels labels, double typical_cost, const KljOptions& options,
         Watch& watch)
      : graph_(graph),
        clusters_(std::move(labels), graph.degrees()),
        attachment_(graph.num_nodes(), 0),
        num_repulsive_(clusters_.num_clusters(), 0),
        options_(options),
        watch_(watch),
        smallest_gain_(kRounding * typical_cost),
        largest_loss_(options.largest_loss * typical_cost),
        candidates_(graph.num_nodes()),
        chains_(graph, clusters_,
                {options.chain_patience,
                 options.chain_loss * typical_cost *
                     std::clamp(graph.mean_degree() / kSparse, 1.0, kMostScale),
                 smallest_gain_},
                [this](std::size_t i) { return empty_cluster(i); }),
        is_queued_(graph.num_nodes(), 0),
        refreshed_(graph.num_nodes(), 0),
        slot_of_(clusters_.num_clusters(), 0),
        in_piece_(graph.num_nodes(), 0),
        changed_in_(clusters_.num_clusters(), 0),
        may_be_torn_(clusters_.num_clusters(), 0) {
    double twice_cut = 0;
    for (NodeId node = 0; node < graph.num_nodes(); ++node) {
      if (work_.is_due(1 + graph.arcs(node).size()) && watch.expired()) return;
      const NodeId cluster = clusters_.label(node);
      double attachment = 0;
      std::size_t num_repulsive = 0;
      for (const Arc& arc : graph.arcs(node)) {
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

  // False if the time was up before the search could begin; it must not run then.
  bool is_complete() const { return is_complete_; }

  Labels run() {
    watch_.improved(objective_);
    // From single nodes chains would do what greedy contraction does, and end where it ends: they wait
    // until nothing else helps.
    bool chains_wait = clusters_.num_clusters() == graph_.num_nodes();
    if (!chains_wait) follow_chains_from_everywhere();
    for (round_ = 1; round_ <= options_.max_rounds && !stopped_; ++round_) {
      has_changed_ = false;
      // Clusters that come into being in this round have their turn in the next.
      const NodeId num_clusters = clusters_.num_clusters();
      for (NodeId cluster = 0; cluster < num_clusters && !stopped_; ++cluster) {
        if (is_active(cluster)) improve_pairs_of(cluster);
      }
      for (NodeId cluster = 0; cluster < num_clusters && !stopped_; ++cluster) {
        if (!is_active(cluster)) continue;
        separate_pieces(cluster);
        split(cluster);
      }
      if (!stopped_ && has_changed_ && !chains_wait) follow_chains_at_changes();
      if (!stopped_ && !has_changed_ && chains_wait) {
        chains_wait = false;
        follow_chains_from_everywhere();
      }
      if (watch_.improved(objective_) || !has_changed_) break;
    }
    for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
      separate_pieces(cluster);
    }
    return clusters_.labels();
  }

 private:
  // An edge from the cluster at hand to another one.
  struct BorderEdge {
    NodeId inside;
    NodeId outside;
    double cost;
  };

  // The same, with the cluster that it leads to.
  struct Leaving {
    NodeId cluster;
    BorderEdge edge;
  };

  // The edges from the cluster at hand to one other, as a part of border_.
  struct Neighbour {
    NodeId cluster;
    std::uint32_t begin;
    std::uint32_t end;
  };

  bool is_active(NodeId cluster) const {
    return clusters_.size(cluster) > 0 && changed_in_[cluster] >= round_ - 1;
  }

  // Looks at the clock. The best partition so far is the one at hand.
  void check_time() { stopped_ |= watch_.should_stop(objective_); }

  NodeId add_cluster() {
    num_repulsive_.push_back(0);
    slot_of_.push_back(0);
    changed_in_.push_back(0);
    may_be_torn_.push_back(0);
    return clusters_.add_cluster();
  }

  // The i-th of the clusters kept for nodes that are to have a new one.
  NodeId empty_cluster(std::size_t i) {
    while (empty_clusters_.size() <= i) empty_clusters_.push_back(add_cluster());
    return empty_clusters_[i];
  }

  void drop_empty_clusters_in_use() {
    std::erase_if(empty_clusters_, [&](NodeId cluster) { return clusters_.size(cluster) > 0; });
  }

  void mark_changed(NodeId cluster) {
    changed_in_[cluster] = round_;
    has_changed_ = true;
  }

  void follow_chains_from_everywhere() {
    if (options_.chain_patience == 0 || options_.max_rounds == 0) return;
    for (NodeId node = 0; node < graph_.num_nodes(); ++node) {
      if (!graph_.arcs(node).empty()) queue(node);
    }
    follow_chains();
  }

  // Starts chains in clusters that have changed in this round, and next to them.
  void follow_chains_at_changes() {
    if (options_.chain_patience == 0) return;
    for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
      if (changed_in_[cluster] < round_) continue;
      for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
        if (work_.is_due(1 + graph_.arcs(node).size())) check_time();
        if (stopped_) return;
        queue(node);
        for (const Arc& arc : graph_.arcs(node)) queue(arc.node);
      }
    }
    follow_chains();
  }

  void queue(NodeId node) {
    if (is_queued_[node]) return;
    is_queued_[node] = 1;
    queue_.push_back(node);
  }

  // Once after each change. Returns by how much more moving the node gains than before.
  double refresh(NodeId node) {
    if (refreshed_[node] == changes_) return 0;
    refreshed_[node] = changes_;
    return chains_.refresh(node);
  }

  // Starts chains at the nodes in the queue. Where a chain helps, its nodes have another turn, and so have
  // those at their side that have more to gain than before.
  void follow_chains() {
    changes_ += 1;
    chains_.begin([this] {
      check_time();
      return stopped_;
    });
    if (stopped_) return;
    for (const NodeId node : queue_) {
      refresh(node);
      if (work_.is_due(chains_.take_work())) check_time();
      if (stopped_) return;
    }
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const NodeId start = queue_[i];
      is_queued_[start] = 0;
      const double gain = chains_.search(start);
      if (work_.is_due(chains_.take_work())) check_time();
      if (gain > 0) {
        moves_.assign(chains_.moves().begin(), chains_.moves().end());
        commit(gain);
        chains_.accept();
        drop_empty_clusters_in_use();
        changes_ += 1;
        for (const NodeMove& move : moves_) {
          refresh(move.node);
          queue(move.node);
          for (const Arc& arc : graph_.arcs(move.node)) {
            if (chains_.is_hub(arc.node)) continue;
            if (refresh(arc.node) > smallest_gain_) queue(arc.node);
          }
        }
      }
      if (stopped_) return;
    }
    queue_.clear();
  }

  void improve_pairs_of(NodeId cluster) {
    if (work_.is_due(clusters_.volume(cluster))) check_time();
    if (stopped_) return;
    collect_border(cluster);
    bool is_stale = false;
    for (const auto [other, begin, end] : neighbours_) {
      std::span<const BorderEdge> border{border_.data() + begin, border_.data() + end};
      if (is_stale) border = border_between(cluster, other);
      is_stale |= improve_pair(cluster, other, border);
      if (stopped_ || clusters_.size(cluster) == 0) return;
    }
  }

  // Collects the edges that leave a cluster, grouped by the cluster they lead to. Leaves out pairs
  // that had their turn in this round. Which edges leave it is hard to predict: there is no branch for it.
  void collect_border(NodeId cluster) {
    leaving_.resize(std::max(leaving_.size(), clusters_.volume(cluster) + 1));
    std::size_t size = 0;
    for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
      for (const Arc& arc : graph_.arcs(node)) {
        const NodeId other = clusters_.label(arc.node);
        leaving_[size] = {other, {node, arc.node, arc.cost}};
        const bool had_turn = (other < cluster) & (changed_in_[other] >= round_ - 1);
        size += (other != cluster) & !had_turn ? 1U : 0U;
      }
    }
    const std::span<const Leaving> leaving{leaving_.data(), size};
    neighbours_.clear();
    for (const Leaving& edge : leaving) {
      std::uint32_t& slot = slot_of_[edge.cluster];
      if (slot >= neighbours_.size() || neighbours_[slot].cluster != edge.cluster) {
        slot = static_cast<std::uint32_t>(neighbours_.size());
        neighbours_.push_back({edge.cluster, 0, 0});
      }
      ++neighbours_[slot].end;
    }
    std::uint32_t begin = 0;
    for (Neighbour& neighbour : neighbours_) {
      const std::uint32_t count = neighbour.end;
      neighbour.begin = neighbour.end = begin;
      begin += count;
    }
    border_.resize(size);
    for (const Leaving& edge : leaving) {
      border_[neighbours_[slot_of_[edge.cluster]].end++] = edge.edge;
    }
  }

  // The edges between two clusters as these are now.
  std::span<const BorderEdge> border_between(NodeId a, NodeId b) {
    if (clusters_.volume(a) > clusters_.volume(b)) std::swap(a, b);
    work_ += clusters_.volume(a);
    fresh_border_.clear();
    for (NodeId node = clusters_.first(a); node != kNoNode; node = clusters_.next(node)) {
      for (const Arc& arc : graph_.arcs(node)) {
        if (clusters_.label(arc.node) == b) fresh_border_.push_back({node, arc.node, arc.cost});
      }
    }
    return fresh_border_;
  }

  // Returns whether anything changed.
  bool improve_pair(NodeId a, NodeId b, std::span<const BorderEdge> border) {
    if (work_.is_due(border.size() + 1)) check_time();
    if (stopped_) return false;
    double cost_between = 0;
    std::size_t num_attractive = 0;
    std::size_t num_repulsive = 0;
    for (const BorderEdge& edge : border) {
      cost_between += edge.cost;
      num_attractive += edge.cost > 0 ? 1 : 0;
      num_repulsive += edge.cost < 0 ? 1 : 0;
    }
    double gain = 0;
    moves_.clear();
    // Between two single nodes there is nothing to move; and nothing can be gained where nothing
    // attracts between two clusters or repels within them.
    if (clusters_.size(a) + clusters_.size(b) > 2 &&
        num_attractive + num_repulsive_[a] + num_repulsive_[b] > 0) {
      add_candidates(border);
      const double num_nodes = clusters_.size(a) + clusters_.size(b);
      gain = search_moves(a, b, 2 * static_cast<double>(border.size()) / num_nodes);
    }
    if (cost_between <= gain || cost_between <= smallest_gain_) return commit(gain);

    undo_moves_after(0);
    for (const BorderEdge& edge : border) {
      attachment_[edge.inside] += edge.cost;
      attachment_[edge.outside] += edge.cost;
    }
    const NodeId joined = clusters_.join(a, b);
    may_be_torn_[joined] = may_be_torn_[a] | may_be_torn_[b];
    num_repulsive_[joined] = num_repulsive_[a] + num_repulsive_[b] + num_repulsive;
    num_repulsive_[joined == a ? b : a] = 0;
    mark_changed(a);
    mark_changed(b);
    objective_ -= cost_between;
    return true;
  }

  // Makes the nodes at the border between two clusters candidates for a move to the other one.
  void add_candidates(std::span<const BorderEdge> border) {
    for (const BorderEdge& edge : border) {
      for (const NodeId node : {edge.inside, edge.outside}) {
        if (candidates_.contains(node)) {
          candidates_.add(node, edge.cost);
        } else {
          candidates_.push(node, edge.cost - attachment_[node]);
        }
      }
    }
  }

  void split(NodeId cluster) {
    while (!stopped_ && num_repulsive_[cluster] > 0) {
      for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
        candidates_.push(node, -attachment_[node]);
        if (work_.is_due(1)) check_time();
        if (stopped_) return;
      }
      const double share =
          static_cast<double>(clusters_.size(cluster)) / graph_.num_linked_nodes();
      const double gain = search_moves(cluster, empty_cluster(0), share * graph_.mean_degree());
      // Moving all of it is no split; only rounding can make that look like a gain.
      if (moves_.size() == clusters_.size(cluster)) undo_moves_after(0);
      if (!commit(gain)) return;
      drop_empty_clusters_in_use();
    }
  }

  // Moves may have torn a cluster apart: makes each connected piece a cluster of its own.
  void separate_pieces(NodeId cluster) {
    if (!may_be_torn_[cluster]) return;
    may_be_torn_[cluster] = 0;
    while (clusters_.size(cluster) > 1) {
      const std::span<const NodeId> piece = connected_piece(clusters_.first(cluster));
      if (piece.size() == clusters_.size(cluster)) return;
      const NodeId separate = add_cluster();
      for (const NodeId node : piece) clusters_.move(node, cluster, separate);
      // Its edges all stay within it, and each is met twice.
      for (const NodeId node : piece) {
        for (const Arc& arc : graph_.arcs(node)) {
          const bool is_inside = clusters_.label(arc.node) == separate;
          num_repulsive_[separate] += is_inside && arc.cost < 0 && node < arc.node ? 1 : 0;
        }
      }
      num_repulsive_[cluster] -= num_repulsive_[separate];
      mark_changed(cluster);
      mark_changed(separate);
    }
  }

  // The nodes that are connected with `start` within its cluster.
  std::span<const NodeId> connected_piece(NodeId start) {
    const NodeId cluster = clusters_.label(start);
    piece_.assign(1, start);
    in_piece_[start] = 1;
    for (std::size_t i = 0; i < piece_.size(); ++i) {
      for (const Arc& arc : graph_.arcs(piece_[i])) {
        if (in_piece_[arc.node] || clusters_.label(arc.node) != cluster) continue;
        in_piece_[arc.node] = 1;
        piece_.push_back(arc.node);
      }
    }
    for (const NodeId node : piece_) in_piece_[node] = 0;
    return piece_;
  }

  // Moves the candidate that gains most (or loses least) to the other side, again and again.
  // Returns what the best prefix of that sequence gains; moves_ holds just this prefix, with the
  // labels as they are after it. Nodes that are not candidates yet have no edge to the other side.
  // `degree`: how many neighbours on the other side a node has, or may come to have.
  double search_moves(NodeId a, NodeId b, double degree) {
    const double largest_loss = largest_loss_ * std::max(1.0, degree / kFewNeighbours);
    double gain = 0;
    double best_gain = 0;
    std::size_t best_length = 0;
    moves_.clear();
    while (!candidates_.empty()) {
      if (moves_.size() - best_length >= static_cast<std::size_t>(options_.patience)) break;
      const auto [key, node] = candidates_.pop();
      gain += key;
      if (best_gain - gain > largest_loss) break;
      if (work_.is_due(1 + graph_.arcs(node).size())) check_time();
      if (stopped_) break;
      const NodeId from = clusters_.label(node);
      const NodeId to = from == a ? b : a;
      clusters_.pretend(node, to);
      moves_.push_back({node, from, to});
      if (gain > best_gain + smallest_gain_) {
        best_gain = gain;
        best_length = moves_.size();
      }
      for (const Arc& arc : graph_.arcs(node)) {
        const NodeId label = clusters_.label(arc.node);
        if (label != from && label != to) continue;
        const double change = label == from ? 2 * arc.cost : -2 * arc.cost;
        if (candidates_.contains(arc.node)) {
          candidates_.add(arc.node, change);
        } else if (!candidates_.was_popped(arc.node)) {
          candidates_.push(arc.node, change - attachment_[arc.node]);
        }
      }
    }
    candidates_.clear();
    undo_moves_after(best_length);
    return best_gain;
  }

  void undo_moves_after(std::size_t length) {
    while (moves_.size() > length) {
      clusters_.pretend(moves_.back().node, moves_.back().from);
      moves_.pop_back();
    }
  }

  // Makes the moves real. Returns whether there were any.
  bool commit(double gain) {
    if (moves_.empty()) return false;
    for (const auto [node, from, to] : moves_) clusters_.pretend(node, from);
    for (const auto [node, from, to] : moves_) {
      attachment_[node] = 0;
      for (const Arc& arc : graph_.arcs(node)) {
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
      may_be_torn_[from] = may_be_torn_[to] = 1;
    }
    objective_ -= gain;
    return true;
  }

  const OrderedGraph& graph_;
  double objective_ = 0;
  Clustering clusters_;
  std::vector<double> attachment_;  // the cost between each node and the rest of its cluster
  std::vector<std::size_t> num_repulsive_;  // the edges of negative cost within each cluster
  const KljOptions& options_;
  Watch& watch_;
  double smallest_gain_;
  double largest_loss_;

  IndexedHeap candidates_;
  NodeChains chains_;
  std::vector<NodeId> queue_;  // where chains are to start
  std::vector<std::uint8_t> is_queued_;
  std::vector<std::uint32_t> refreshed_;  // after which change
  std::uint32_t changes_ = 0;
  std::vector<NodeMove> moves_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::uint32_t> slot_of_;  // where in neighbours_ a cluster may be
  std::vector<Leaving> leaving_;  // edges of the cluster at hand, and room for more
  std::vector<BorderEdge> border_;
  std::vector<BorderEdge> fresh_border_;
  std::vector<NodeId> piece_;
  std::vector<std::uint8_t> in_piece_;
  std::vector<int> changed_in_;  // the last round in which each cluster changed
  std::vector<std::uint8_t> may_be_torn_;
  WorkMeter work_;
  std::vector<NodeId> empty_clusters_;
  int round_ = 0;
  bool has_changed_ = false;
  bool stopped_ = false;
  bool is_complete_ = false;
};

}  // namespace

Labels klj(const Graph& graph, std::span<const double> costs, const Labels& labels,
           const KljOptions& options, Watch& watch) {
  if (watch.expired()) return labels;
  const OrderedGraph ordered(graph, costs, labels, watch);
  if (!ordered.is_complete()) return labels;
  Search search(ordered, ordered.reorder(labels), typical_cost(costs), options, watch);
  if (!search.is_complete()) return labels;
  return ordered.restore(search.run());
}

}  // namespace multicut
