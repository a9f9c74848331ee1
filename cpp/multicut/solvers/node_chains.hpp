#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/solvers/clustering.hpp"
#include "multicut/solvers/cost_table.hpp"
#include "multicut/solvers/ordered_graph.hpp"

namespace multicut {

struct NodeMove {
  NodeId node;
  NodeId from;
  NodeId to;
};

// What moves gain at least, one after the other, from the costs themselves: rounding must not make a chain
// and its reverse look like gains both. The labels stay as they are.
double exact_gain(const OrderedGraph& graph, Clustering& clusters, std::span<const NodeMove> moves);

// By how much the best gain of a node rises at most when a neighbour leaves a cluster for another, if it can
// move to the same clusters as before: each of the two sums of costs changes by that of the edge between
// them. If the node shares one of the two clusters, that is twice what helps it, or once what does not;
// otherwise |cost|. Which of these it is, is hard to predict: there is no branch for it.
inline double largest_rise(double cost, bool shares_old, bool shares_new) {
  const double helps = (static_cast<double>(shares_old) - static_cast<double>(shares_new)) * cost;
  const double of_others = static_cast<double>(!(shares_old | shares_new)) * std::abs(cost);
  return helps + std::max(helps, 0.0) + of_others;
}

// The first of the candidates for a move that gain most; there is one.
template <typename Candidate>
std::size_t most_promising(const std::vector<Candidate>& candidates) {
  std::size_t at = 0;
  double most = candidates[0].gain;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const double own = candidates[i].gain;
    at = own > most ? i : at;
    most = own > most ? own : most;
  }
  return at;
}

// Looks for chains of moves: a node leaves its cluster for any other one it touches or for a new one,
// although that may lose, and a node at its side follows, again and again, each time the one that gains
// most. After a move that loses comes one that does not. A chain may pass through many clusters. It
// reaches partitions that no sequence of moves between two clusters reaches.
class NodeChains {
 public:
  struct Limits {
    // A chain ends after this many moves that have not led to a better partition …
    int patience;
    // … or when it has lost this much since the best one.
    double largest_loss;
    // What gains less is rounding.
    double smallest_gain;
  };

  // Returns the i-th cluster that has no nodes.
  using EmptyCluster = std::function<NodeId(std::size_t i)>;

  NodeChains(const OrderedGraph& graph, Clustering& clusters, const Limits& limits,
             EmptyCluster empty_cluster);

  // To be called before the first search, and when clusters have changed other than through `accept`.
  void begin(const Stop& stop) { table_.build(stop); }

  // The moves found last are being made.
  void accept();

  // Computes anew what moving a node gains; returns by how much that rose. Necessary for those whose
  // neighbours have moved: a chain may overlook them otherwise.
  double refresh(NodeId node) {
    const double before = best_[node].gain;
    best_[node] = best_move(node);
    return best_[node].gain - before;
  }

  // Nodes of very many neighbours are part of a chain only if it starts with them, and need not be
  // refreshed: they would be looked at from each of their neighbours.
  bool is_hub(NodeId node) const { return graph_.arcs(node).size() > largest_degree_; }

  // Returns what the best chain that starts with this node gains; `moves` are that chain then. The labels
  // stay as they are.
  double search(NodeId start);
  std::span<const NodeMove> moves() const { return moves_; }

  // The number of arcs looked at since the last call.
  std::size_t take_work();

 private:
  struct Best {
    double gain;
    NodeId to;  // kNoNode: a new cluster
  };

  static constexpr NodeId kUnknown = kNoNode - 1;

  struct Candidate {
    double gain;  // while `to` is kUnknown, an upper bound
    NodeId node;
    NodeId to;
  };

  Best best_move(NodeId node);
  Best best_move_by_arcs(NodeId node);
  Best best_move_by_table(NodeId node) const;
  bool may_have_follower(NodeId start, NodeId to);
  void update_neighbours(const NodeMove& move);
  void shift(const NodeMove& move);
  void update_by_table(const NodeMove& move);
  bool pop_best(double least, NodeMove& move, double& gain);
  void reset(std::size_t length);

  const OrderedGraph& graph_;
  Clustering& clusters_;
  Limits limits_;
  EmptyCluster empty_cluster_;
  std::size_t largest_degree_;
  CostTable table_;
  std::vector<Best> best_;  // each node's best move when it was last refreshed

  std::vector<double> cost_to_;  // by cluster, for the node at hand; zero otherwise

  std::vector<NodeMove> moves_;
  std::size_t num_new_ = 0;  // clusters that the chain at hand has opened
  std::size_t num_shifted_ = 0;  // its moves that have reached the table
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> position_;  // in candidates_
  std::size_t work_ = 0;
};

}  // namespace multicut
