#include "multicut/solvers/klj.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/indexed_heap.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/solvers/clustering.hpp"

namespace multicut {
namespace {

constexpr int kStepsBetweenChecks = 256;
constexpr NodeId kNodesBetweenChecks = 1 << 16;

struct Arc {
  NodeId node;
  double cost;
};

// The nodes, cluster by cluster, clusters that touch each other close together. Renumbering the
// nodes in this order keeps what a search looks at in cache.
// Left incomplete if the time is up.
std::vector<NodeId> order_by_cluster(const Graph& graph, const Labels& labels,
                                     Monitor& monitor) {
  const NodeId num_clusters = labels.empty() ? 0 : *std::ranges::max_element(labels) + 1;
  const Clusters clusters(labels, num_clusters);
  std::vector<NodeId> order;
  order.reserve(labels.size());
  std::vector<NodeId> queue;
  std::vector<std::uint8_t> is_queued(num_clusters, 0);
  for (NodeId start = 0; start < num_clusters; ++start) {
    if (is_queued[start]) continue;
    is_queued[start] = 1;
    queue.assign(1, start);
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const NodeId node : clusters[queue[i]]) {
        if (order.size() % kNodesBetweenChecks == 0 && monitor.expired()) return order;
        order.push_back(node);
        for (const NodeId neighbour : graph.neighbours(node)) {
          const NodeId cluster = labels[neighbour];
          if (is_queued[cluster]) continue;
          is_queued[cluster] = 1;
          queue.push_back(cluster);
        }
      }
    }
  }
  return order;
}

class Search {
 public:
  // The numbers of this search's nodes are positions in `order`.
  Search(const Graph& graph, std::span<const double> costs, const Labels& labels,
         std::vector<NodeId> order, const KljOptions& options, Monitor& monitor)
      : order_(std::move(order)),
        offsets_(static_cast<std::size_t>(graph.num_nodes()) + 1, 0),
        arcs_(2 * static_cast<std::size_t>(graph.num_edges())),
        clusters_(reordered(labels)),
        attachment_(graph.num_nodes(), 0),
        options_(options),
        monitor_(monitor),
        candidates_(graph.num_nodes()),
        slot_of_(clusters_.num_clusters(), 0),
        in_piece_(graph.num_nodes(), 0),
        changed_in_(clusters_.num_clusters(), 0) {
    std::vector<NodeId> rank(graph.num_nodes());
    for (NodeId i = 0; i < order_.size(); ++i) rank[order_[i]] = i;
    double sum_of_absolute = 0;
    double twice_cut = 0;
    for (NodeId i = 0; i < order_.size(); ++i) {
      if (i % kNodesBetweenChecks == 0 && monitor.expired()) {
        stopped_ = true;
        return;
      }
      const auto neighbours = graph.neighbours(order_[i]);
      const auto incident = graph.incident_edges(order_[i]);
      std::size_t at = offsets_[i];
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        const Arc arc{rank[neighbours[k]], costs[incident[k]]};
        arcs_[at++] = arc;
        sum_of_absolute += std::abs(arc.cost);
        const bool is_inside = clusters_.label(arc.node) == clusters_.label(i);
        (is_inside ? attachment_[i] : twice_cut) += arc.cost;
      }
      offsets_[i + 1] = at;
    }
    objective_ = twice_cut / 2;
    const double mean = arcs_.empty() ? 0 : sum_of_absolute / static_cast<double>(arcs_.size());
    smallest_gain_ = 1e-9 * mean;
    largest_loss_ = options.largest_loss * mean;
  }

  // False if the time was up before the search was ready to run.
  bool is_ready() const { return !stopped_; }

  Labels run() {
    monitor_.improved(objective_);
    for (round_ = 1; round_ <= options_.max_rounds && !stopped_; ++round_) {
      has_changed_ = false;
      const NodeId num_clusters = clusters_.num_clusters();
      for (NodeId cluster = 0; cluster < num_clusters && !stopped_; ++cluster) {
        if (is_active(cluster)) improve_pairs_of(cluster);
      }
      for (NodeId cluster = 0; cluster < clusters_.num_clusters() && !stopped_; ++cluster) {
        if (!is_active(cluster)) continue;
        separate_pieces(cluster);
        split(cluster);
      }
      if (monitor_.improved(objective_) || !has_changed_) break;
    }
    return connected_labels();
  }

 private:
  // An edge from the cluster at hand to another one.
  struct BorderEdge {
    NodeId inside;
    NodeId outside;
    double cost;
  };

  // The edges from the cluster at hand to one other, as a part of border_.
  struct Neighbour {
    NodeId cluster;
    std::uint32_t begin;
    std::uint32_t end;
  };

  struct Move {
    NodeId node;
    NodeId from;
  };

  Labels reordered(const Labels& labels) const {
    Labels result(labels.size());
    for (NodeId i = 0; i < order_.size(); ++i) result[i] = labels[order_[i]];
    make_canonical(result);
    return result;
  }

  std::span<const Arc> arcs(NodeId node) const {
    return {arcs_.data() + offsets_[node], arcs_.data() + offsets_[node + 1]};
  }

  bool is_active(NodeId cluster) const {
    return clusters_.size(cluster) > 0 && changed_in_[cluster] >= round_ - 1;
  }

  void mark_changed(NodeId cluster) {
    if (cluster >= changed_in_.size()) {
      changed_in_.resize(cluster + 1, 0);
      slot_of_.resize(cluster + 1, 0);
    }
    changed_in_[cluster] = round_;
    has_changed_ = true;
  }

  void improve_pairs_of(NodeId cluster) {
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
  // that had their turn in this round.
  void collect_border(NodeId cluster) {
    neighbours_.clear();
    std::uint32_t size = 0;
    const auto for_each_edge = [&](auto visit) {
      for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
        for (const Arc& arc : arcs(node)) {
          const NodeId other = clusters_.label(arc.node);
          if (other == cluster || (other < cluster && is_active(other))) continue;
          visit(other, node, arc);
        }
      }
    };
    for_each_edge([&](NodeId other, NodeId, const Arc&) {
      std::uint32_t& slot = slot_of_[other];
      if (slot >= neighbours_.size() || neighbours_[slot].cluster != other) {
        slot = static_cast<std::uint32_t>(neighbours_.size());
        neighbours_.push_back({other, 0, 0});
      }
      ++neighbours_[slot].end;
      ++size;
    });
    std::uint32_t begin = 0;
    for (Neighbour& neighbour : neighbours_) {
      const std::uint32_t count = neighbour.end;
      neighbour.begin = neighbour.end = begin;
      begin += count;
    }
    border_.resize(size);
    for_each_edge([&](NodeId other, NodeId node, const Arc& arc) {
      border_[neighbours_[slot_of_[other]].end++] = {node, arc.node, arc.cost};
    });
  }

  // The edges between two clusters as these are now.
  std::span<const BorderEdge> border_between(NodeId a, NodeId b) {
    if (clusters_.size(a) > clusters_.size(b)) std::swap(a, b);
    fresh_border_.clear();
    for (NodeId node = clusters_.first(a); node != kNoNode; node = clusters_.next(node)) {
      for (const Arc& arc : arcs(node)) {
        if (clusters_.label(arc.node) == b) fresh_border_.push_back({node, arc.node, arc.cost});
      }
    }
    return fresh_border_;
  }

  // Returns whether anything changed.
  bool improve_pair(NodeId a, NodeId b, std::span<const BorderEdge> border) {
    if (monitor_.should_stop(objective_)) {
      stopped_ = true;
      return false;
    }
    double cost_between = 0;
    for (const BorderEdge& edge : border) {
      cost_between += edge.cost;
      for (const NodeId node : {edge.inside, edge.outside}) {
        if (candidates_.contains(node)) {
          candidates_.add(node, edge.cost);
        } else {
          candidates_.push(node, edge.cost - attachment_[node]);
        }
      }
    }
    const double gain = search_moves(a, b);
    if (cost_between <= gain || cost_between <= smallest_gain_) return commit(a, b, gain);

    undo_moves_after(0);
    for (const BorderEdge& edge : border) {
      attachment_[edge.inside] += edge.cost;
      attachment_[edge.outside] += edge.cost;
    }
    clusters_.join(a, b);
    mark_changed(a);
    mark_changed(b);
    objective_ -= cost_between;
    return true;
  }

  void split(NodeId cluster) {
    while (!stopped_ && clusters_.size(cluster) > 1) {
      for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
        candidates_.push(node, -attachment_[node]);
      }
      if (empty_cluster_ == kNoNode) empty_cluster_ = clusters_.add_cluster();
      const double gain = search_moves(cluster, empty_cluster_);
      if (!commit(cluster, empty_cluster_, gain)) return;
      empty_cluster_ = kNoNode;
    }
  }

  // Moves may have torn a cluster apart: makes each connected piece a cluster of its own.
  void separate_pieces(NodeId cluster) {
    while (clusters_.size(cluster) > 1) {
      const std::span<const NodeId> piece = connected_piece(clusters_.first(cluster));
      if (piece.size() == clusters_.size(cluster)) return;
      const NodeId separate = clusters_.add_cluster();
      for (const NodeId node : piece) clusters_.move(node, cluster, separate);
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
      for (const Arc& arc : arcs(piece_[i])) {
        if (in_piece_[arc.node] || clusters_.label(arc.node) != cluster) continue;
        in_piece_[arc.node] = 1;
        piece_.push_back(arc.node);
      }
    }
    for (const NodeId node : piece_) in_piece_[node] = 0;
    return piece_;
  }

  // Labels of the caller's nodes. What changed last may still be torn.
  Labels connected_labels() {
    for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
      if (is_active(cluster)) separate_pieces(cluster);
    }
    Labels labels(order_.size());
    for (NodeId i = 0; i < order_.size(); ++i) labels[order_[i]] = clusters_.label(i);
    make_canonical(labels);
    return labels;
  }

  // Moves the candidate that gains most (or loses least) to the other side, again and again.
  // Returns what the best prefix of that sequence gains; moves_ holds just this prefix, with the
  // labels as they are after it. Nodes that are not candidates yet have no edge to the other side.
  double search_moves(NodeId a, NodeId b) {
    double gain = 0;
    double best_gain = 0;
    std::size_t best_length = 0;
    moves_.clear();
    while (!candidates_.empty()) {
      if (moves_.size() - best_length >= static_cast<std::size_t>(options_.patience)) break;
      if (best_gain - gain > largest_loss_) break;
      if (moves_.size() % kStepsBetweenChecks == kStepsBetweenChecks - 1 &&
          monitor_.should_stop(objective_)) {
        stopped_ = true;
        break;
      }
      const auto [key, node] = candidates_.pop();
      gain += key;
      const NodeId from = clusters_.label(node);
      const NodeId to = from == a ? b : a;
      clusters_.pretend(node, to);
      moves_.push_back({node, from});
      if (gain > best_gain + smallest_gain_) {
        best_gain = gain;
        best_length = moves_.size();
      }
      for (const Arc& arc : arcs(node)) {
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
  bool commit(NodeId a, NodeId b, double gain) {
    if (moves_.empty()) return false;
    for (const auto [node, from] : moves_) clusters_.pretend(node, from);
    for (const auto [node, from] : moves_) {
      const NodeId to = from == a ? b : a;
      attachment_[node] = 0;
      for (const Arc& arc : arcs(node)) {
        const NodeId label = clusters_.label(arc.node);
        if (label == from) {
          attachment_[arc.node] -= arc.cost;
        } else if (label == to) {
          attachment_[arc.node] += arc.cost;
          attachment_[node] += arc.cost;
        }
      }
      clusters_.move(node, from, to);
    }
    mark_changed(a);
    mark_changed(b);
    objective_ -= gain;
    return true;
  }

  std::vector<NodeId> order_;  // the caller's node of each of ours
  std::vector<std::size_t> offsets_;
  std::vector<Arc> arcs_;
  double objective_ = 0;
  Clustering clusters_;
  std::vector<double> attachment_;  // the cost between each node and the rest of its cluster
  const KljOptions& options_;
  Monitor& monitor_;
  double smallest_gain_ = 0;  // what gains less than this is rounding
  double largest_loss_ = 0;

  IndexedHeap candidates_;
  std::vector<Move> moves_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::uint32_t> slot_of_;  // where in neighbours_ a cluster may be
  std::vector<BorderEdge> border_;
  std::vector<BorderEdge> fresh_border_;
  std::vector<NodeId> piece_;
  std::vector<std::uint8_t> in_piece_;
  std::vector<int> changed_in_;  // the last round in which each cluster changed
  NodeId empty_cluster_ = kNoNode;
  int round_ = 0;
  bool has_changed_ = false;
  bool stopped_ = false;
};

}  // namespace

Labels klj(const Graph& graph, std::span<const double> costs, const Labels& labels,
           const KljOptions& options, Monitor& monitor) {
  std::vector<NodeId> order = order_by_cluster(graph, labels, monitor);
  if (order.size() < labels.size()) return labels;
  Search search(graph, costs, labels, std::move(order), options, monitor);
  return search.is_ready() ? search.run() : labels;
}

}  // namespace multicut
