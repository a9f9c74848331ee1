#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"
#include "multicut/search/chain.hpp"
#include "multicut/search/clustering.hpp"
#include "multicut/search/cost_table.hpp"
#include "multicut/search/node_move.hpp"
#include "multicut/search/ordered_graph.hpp"

namespace multicut {

// Looks for chains of moves: a node leaves its cluster for any other one it touches or for a new one,
// although that may lose, and a node at its side follows, again and again, each time the one that gains
// most. After a move that loses comes one that does not. A chain may pass through many clusters. It
// reaches partitions that no sequence of moves between two clusters reaches.
class NodeChains {
 public:
  NodeChains(const OrderedGraph& graph, Clustering& clusters, const ChainLimits& limits,
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
  ChainLimits limits_;
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
