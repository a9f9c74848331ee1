#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/indexed_heap.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/search/chain.hpp"
#include "multicut/search/clustering.hpp"
#include "multicut/search/klj_options.hpp"
#include "multicut/search/node_move.hpp"
#include "multicut/search/ordered_graph.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// What `klj` is for ordinary and for lifted problems: a partition, rounds over the clusters that a change may
// have put out of balance, and sequences of moves between two clusters. Which edges connect, and what that
// means for moves, is left to those who derive from it.
class ClusterSearch {
 public:
  // False if the time was up before the search could begin; it must not run then.
  bool is_complete() const { return is_complete_; }

  const Labels& labels() const { return clusters_.labels(); }
  double objective() const { return objective_; }

 protected:
  // An edge from the cluster at hand to another one.
  struct BorderEdge {
    NodeId inside;
    NodeId outside;
    double cost;
  };

  ClusterSearch(const OrderedGraph& graph, Labels labels, double typical_cost, const KljOptions& options,
                Watch& watch);
  ~ClusterSearch() = default;

  // Goes on until nothing helps. If chains wait, they do so until nothing else helps.
  void improve(bool chains_wait);

  // The parts of a round.
  virtual void improve_pairs_of(NodeId cluster) = 0;
  virtual void divide(NodeId cluster) = 0;
  virtual void follow_chains_from_everywhere() = 0;
  virtual void follow_chains_at_changes() = 0;

  // Clusters that have changed in this round or the one before have a turn.
  bool is_active(NodeId cluster) const {
    return clusters_.size(cluster) > 0 && changed_in_[cluster] >= round_ - 1;
  }
  void mark_changed(NodeId cluster) {
    changed_in_[cluster] = round_;
    has_changed_ = true;
  }

  // Looks at the clock after so much more work. The best partition so far is the one at hand.
  void check_time() { stopped_ |= watch_.should_stop(objective_); }
  void count(std::size_t work) {
    if (work_.is_due(work)) check_time();
  }

  virtual NodeId add_cluster();
  // The i-th of the clusters kept for nodes that are to have a new one.
  NodeId empty_cluster(std::size_t i);

  ChainLimits chain_limits(double typical_cost) const;

  // How much a sequence of moves may lose where nodes have so many neighbours on the other side.
  double largest_loss(double degree) const;

  // Makes a node a candidate for a move along an edge of this cost, or a better one than it was.
  void add_candidate(NodeId node, double cost) {
    if (candidates_.contains(node)) {
      candidates_.add(node, cost);
    } else {
      candidates_.push(node, cost - attachment_[node]);
    }
  }

  // Moves the candidate that gains most (or loses least) between two clusters, again and again, as long as
  // that has not lost too much, nor led to nothing better for too long. Returns what the best prefix of that
  // sequence gains; moves_ holds just this prefix, with the labels as they are after it. Passes over nodes
  // that may not move. `update(node, from, to)` changes what the neighbours of a node gain, or makes them
  // candidates.
  template <typename MayMove, typename Update>
  double search_moves(NodeId a, NodeId b, std::size_t patience, double largest_loss, MayMove may_move,
                      Update update) {
    double gain = 0;
    double best_gain = 0;
    std::size_t best_length = 0;
    moves_.clear();
    while (!candidates_.empty() && moves_.size() - best_length < patience) {
      const auto [key, node] = candidates_.pop();
      if (best_gain - (gain + key) > largest_loss) break;
      count(1 + graph_.arcs(node).size());
      if (stopped_) break;
      if (!may_move(node)) continue;
      gain += key;
      const NodeId from = clusters_.label(node);
      const NodeId to = from == a ? b : a;
      clusters_.pretend(node, to);
      moves_.push_back({node, from, to});
      if (gain > best_gain + smallest_gain_) {
        best_gain = gain;
        best_length = moves_.size();
      }
      update(node, from, to);
    }
    candidates_.clear();
    undo_moves(clusters_, moves_, best_length);
    return best_gain;
  }

  // Makes the moves real, whose labels are those after them. Returns whether there were any.
  bool commit(double gain);

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
  std::vector<NodeMove> moves_;
  std::vector<std::uint32_t> slot_of_;  // where a cluster may be among the neighbours of the one at hand
  std::vector<int> changed_in_;  // the last round in which each cluster changed
  std::vector<NodeId> empty_clusters_;
  WorkMeter work_;
  int round_ = 0;
  bool has_changed_ = false;
  bool stopped_ = false;
  bool is_complete_ = false;
};

}  // namespace multicut
