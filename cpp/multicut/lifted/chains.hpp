#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/lifted/ordered_problem.hpp"
#include "multicut/search/chain.hpp"
#include "multicut/search/clustering.hpp"
#include "multicut/search/node_move.hpp"

namespace multicut {

// Chains of moves as in NodeChains, for lifted problems: a node leaves its cluster for one that it has a
// link to, or for a new one, and a neighbour follows, by an edge of any kind. Whether clusters stay
// connected is left to the caller.
class LiftedChains {
 public:
  LiftedChains(const OrderedProblem& problem, Clustering& clusters, const ChainLimits& limits,
               EmptyCluster empty_cluster);

  // Computes anew what moving a node gains; returns by how much that rose.
  double refresh(NodeId node) {
    const double before = best_[node].gain;
    best_[node] = best_move(node);
    return best_[node].gain - before;
  }

  // Nodes of very many neighbours are part of a chain only if it starts with them.
  bool is_hub(NodeId node) const { return problem_.arcs(node).size() > largest_degree_; }

  // Returns what the best chain that starts with this node gains, and sets `moves` to that chain. The
  // labels stay as they are.
  double search(NodeId start, std::vector<NodeMove>& moves);

  // The number of clusters that the chain found last opens.
  std::size_t num_new() const { return num_new_; }

  // The number of arcs looked at since the last call.
  std::size_t take_work();

 private:
  struct Best {
    double gain;
    NodeId to;  // kNoNode: a new cluster
    double attachment;         // the cost between the node and the rest of its cluster
    double lifted_attraction;  // the sum of its positive lifted costs
  };

  struct Candidate {
    double gain;  // while `to` is kUnknown, an upper bound
    double attachment;
    NodeId node;
    NodeId to;
  };

  Best best_move(NodeId node);
  bool may_have_follower(NodeId start, NodeId to);
  void update_neighbours(const NodeMove& move, double least);
  Candidate* update(NodeId node, double cost, const NodeMove& move);
  void open_way(Candidate& candidate, double cost, const NodeMove& move, double least);
  bool pop_best(double least, NodeMove& move, double& gain);

  const OrderedProblem& problem_;
  Clustering& clusters_;
  ChainLimits limits_;
  EmptyCluster empty_cluster_;
  std::size_t largest_degree_;
  std::size_t most_work_;
  std::vector<Best> best_;  // each node's best move when it was last refreshed

  std::vector<double> cost_to_;  // by cluster, for the node at hand; zero otherwise

  std::size_t num_new_ = 0;
  std::vector<Candidate> candidates_;
  std::vector<std::uint32_t> position_;  // in candidates_
  std::size_t work_ = 0;
};

}  // namespace multicut
