#include "multicut/solvers/klj.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "multicut/search/chain_starts.hpp"
#include "multicut/search/cluster_search.hpp"
#include "multicut/search/node_chains.hpp"
#include "multicut/search/ordered_graph.hpp"
#include "multicut/solvers/typical_cost.hpp"

namespace multicut {
namespace {

using Arc = OrderedGraph::Arc;

class Search : public ClusterSearch {
 public:
  Search(const OrderedGraph& graph, Labels labels, double typical_cost, const KljOptions& options,
         Watch& watch)
      : ClusterSearch(graph, std::move(labels), typical_cost, options, watch),
        chains_(graph, clusters_, chain_limits(typical_cost),
                [this](std::size_t i) { return empty_cluster(i); }),
        starts_(graph, chains_, smallest_gain_),
        in_piece_(graph.num_nodes(), 0),
        may_be_torn_(clusters_.num_clusters(), 0) {}

  Labels run() {
    // From single nodes chains would do what greedy contraction does, and end where it ends: they wait
    // until nothing else helps.
    improve(clusters_.num_clusters() == graph_.num_nodes());
    for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
      separate_pieces(cluster);
    }
    return clusters_.labels();
  }

 private:
  // An edge from the cluster at hand, with the cluster that it leads to.
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

  NodeId add_cluster() override {
    may_be_torn_.push_back(0);
    return ClusterSearch::add_cluster();
  }

  void follow_chains_from_everywhere() override {
    if (options_.chain_patience == 0 || options_.max_rounds == 0) return;
    for (NodeId node = 0; node < graph_.num_nodes(); ++node) {
      if (!graph_.arcs(node).empty()) starts_.push(node);
    }
    follow_chains();
  }

  // Starts chains in clusters that have changed in this round, and next to them.
  void follow_chains_at_changes() override {
    if (options_.chain_patience == 0) return;
    for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
      if (changed_in_[cluster] < round_) continue;
      for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
        count(1 + graph_.arcs(node).size());
        if (stopped_) return;
        starts_.push(node);
        for (const Arc& arc : graph_.arcs(node)) starts_.push(arc.node);
      }
    }
    follow_chains();
  }

  void follow_chains() {
    starts_.begin_change();
    chains_.begin([this] {
      check_time();
      return stopped_;
    });
    if (stopped_) return;
    for (const NodeId node : starts_.waiting()) {
      starts_.refresh(node);
      count(chains_.take_work());
      if (stopped_) return;
    }
    while (!starts_.empty() && !stopped_) {
      const double gain = chains_.search(starts_.pop());
      count(chains_.take_work());
      if (gain <= 0) continue;
      moves_.assign(chains_.moves().begin(), chains_.moves().end());
      commit_moves(gain);
      chains_.accept();
      starts_.follow(moves_);
    }
  }

  void improve_pairs_of(NodeId cluster) override {
    count(clusters_.volume(cluster));
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
    count(border.size() + 1);
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
      for (const BorderEdge& edge : border) {
        add_candidate(edge.inside, edge.cost);
        add_candidate(edge.outside, edge.cost);
      }
      const double num_nodes = clusters_.size(a) + clusters_.size(b);
      gain = move_between(a, b, 2 * static_cast<double>(border.size()) / num_nodes);
    }
    if (cost_between <= gain || cost_between <= smallest_gain_) return commit_moves(gain);

    undo_moves(clusters_, moves_);
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

  void divide(NodeId cluster) override {
    separate_pieces(cluster);
    split(cluster);
  }

  void split(NodeId cluster) {
    while (!stopped_ && num_repulsive_[cluster] > 0) {
      for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
        candidates_.push(node, -attachment_[node]);
        count(1);
        if (stopped_) return;
      }
      const double share =
          static_cast<double>(clusters_.size(cluster)) / graph_.num_linked_nodes();
      const double gain = move_between(cluster, empty_cluster(0), share * graph_.mean_degree());
      // Moving all of it is no split; only rounding can make that look like a gain.
      if (moves_.size() == clusters_.size(cluster)) undo_moves(clusters_, moves_);
      if (!commit_moves(gain)) return;
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

  // Moves nodes between two clusters. Nodes that are not candidates yet have no edge to the other side.
  // `degree`: how many neighbours on the other side a node has, or may come to have.
  double move_between(NodeId a, NodeId b, double degree) {
    const auto update = [this](NodeId node, NodeId from, NodeId to) {
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
    };
    return search_moves(
        a, b, static_cast<std::size_t>(options_.patience), largest_loss(degree),
        [](NodeId) { return true; }, update);
  }

  bool commit_moves(double gain) {
    for (const auto [node, from, to] : moves_) may_be_torn_[from] = may_be_torn_[to] = 1;
    return commit(gain);
  }

  NodeChains chains_;
  ChainStarts<NodeChains> starts_;
  std::vector<Neighbour> neighbours_;
  std::vector<Leaving> leaving_;  // edges of the cluster at hand, and room for more
  std::vector<BorderEdge> border_;
  std::vector<BorderEdge> fresh_border_;
  std::vector<NodeId> piece_;
  std::vector<std::uint8_t> in_piece_;
  std::vector<std::uint8_t> may_be_torn_;
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
