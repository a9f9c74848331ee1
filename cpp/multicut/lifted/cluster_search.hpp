#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/indexed_heap.hpp"
#include "multicut/lifted/chains.hpp"
#include "multicut/lifted/moves.hpp"
#include "multicut/lifted/ordered_problem.hpp"
#include "multicut/solvers/clustering.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// One local search on the nodes of a lifted problem; `klj` runs it on several levels.
class ClusterSearch {
 public:
  // `is_changed`, if it is not empty, tells the nodes whose clusters have changed since nothing helped any
  // more: the search begins there.
  ClusterSearch(const OrderedProblem& problem, Labels labels, double typical_cost,
                const KljOptions& options, Watch& watch, std::span<const std::uint8_t> is_changed = {});

  // False if the time was up before the search could begin; it must not run then.
  bool is_complete() const { return is_complete_; }

  // Improves the partition until nothing helps. Returns by how much.
  double run();

  // Their clusters are connected.
  const Labels& labels() const { return clusters_.labels(); }
  double objective() const { return objective_; }

 private:
  // An edge from the cluster at hand to another one.
  struct BorderEdge {
    NodeId inside;
    NodeId outside;
    double cost;
  };

  // The edges between the cluster at hand and one other, as a part of border_: links, then lifted ones.
  struct Neighbour {
    NodeId cluster;
    std::uint32_t begin;
    std::uint32_t end_of_links;
    std::uint32_t end;
  };

  // When a sequence of moves ends, and whether it passes over nodes that may hold their side together.
  struct Limits {
    std::size_t patience;
    double largest_loss;
    bool is_strict;
  };

  struct Border {
    std::span<const BorderEdge> links;
    std::span<const BorderEdge> lifted;
  };

  bool is_active(NodeId cluster) const {
    return clusters_.size(cluster) > 0 && changed_in_[cluster] >= round_ - 1;
  }
  void check_time() { stopped_ |= watch_.should_stop(objective_); }
  void count(std::size_t work) {
    if (work_.is_due(work)) check_time();
  }
  NodeId add_cluster();
  NodeId empty_cluster(std::size_t i);
  void mark_changed(NodeId cluster);

  void follow_chains_from_everywhere();
  void follow_chains_at_changes();
  void queue(NodeId node);
  void queue_if_risen(NodeId node);
  double refresh(NodeId node);
  void follow_chains();

  void improve_pairs_of(NodeId cluster);
  void collect_border(NodeId cluster);
  Border border_between(NodeId a, NodeId b);
  bool improve_pair(NodeId a, NodeId b, const Border& border);
  void add_candidates(const Border& border);
  void join(NodeId a, NodeId b, const Border& border);
  void split(NodeId cluster);

  double search_moves(NodeId a, NodeId b, const Limits& limits);
  bool is_attracted(NodeId node) const;
  bool is_needed(NodeId node);
  double settle(double gain, std::size_t num_new);
  bool commit(double gain);

  const OrderedProblem& problem_;
  double objective_ = 0;
  Clustering clusters_;
  std::vector<double> attachment_;  // the cost between each node and the rest of its cluster
  std::vector<std::size_t> num_repulsive_;  // the edges of negative cost within each cluster
  const KljOptions& options_;
  Watch& watch_;
  double smallest_gain_;
  double largest_loss_;

  IndexedHeap candidates_;
  LiftedChains chains_;
  Mender mender_;
  TornPieces torn_;
  std::vector<NodeId> queue_;  // where chains are to start
  std::vector<std::uint8_t> is_queued_;
  std::vector<std::uint32_t> refreshed_;  // after which change
  std::uint32_t changes_ = 0;
  std::vector<NodeMove> moves_;
  std::vector<Neighbour> neighbours_;
  std::vector<std::uint32_t> slot_of_;  // where in neighbours_ a cluster may be
  std::vector<BorderEdge> border_;
  std::vector<BorderEdge> fresh_links_;
  std::vector<BorderEdge> fresh_lifted_;
  std::vector<NodeId> starts_;
  std::vector<int> changed_in_;  // the last round in which each cluster changed
  WorkMeter work_;
  std::vector<NodeId> empty_clusters_;
  int round_ = 0;
  bool has_changed_ = false;
  bool stopped_ = false;
  bool is_complete_ = false;
};

}  // namespace multicut
